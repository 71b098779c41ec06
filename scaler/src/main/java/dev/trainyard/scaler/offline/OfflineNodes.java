package dev.trainyard.scaler.offline;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PodReading;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.observe.SnapshotReader;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The nodes from files, completed for a round: with a pool, readiness, allocatable resources and idle time. */
final class OfflineNodes {

    /** The kubelet's default for the maximum number of pods. */
    private static final String DEFAULT_PODS = "110";

    private final Catalogue catalogue;
    private final Map<String, List<Pod>> podsByNode = new HashMap<>();
    private final Instant now;
    private final PlanRemarks remarks;

    private OfflineNodes(Catalogue catalogue, Collection<Pod> pods, Instant now, PlanRemarks remarks) {
        this.catalogue = catalogue;
        this.now = now;
        this.remarks = remarks;
        pods.stream()
                .filter(pod -> pod.getSpec() != null && pod.getSpec().getNodeName() != null)
                .forEach(pod -> podsByNode
                        .computeIfAbsent(pod.getSpec().getNodeName(), name -> new ArrayList<>())
                        .add(pod));
    }

    static List<Node> of(
            ResourceFiles files, Catalogue catalogue, Collection<Pod> pods, Instant now, PlanRemarks remarks) {
        var nodes = new OfflineNodes(catalogue, pods, now, remarks);
        return files.ofKind(Node.class, remarks::broken).stream()
                .map(nodes::complete)
                .toList();
    }

    private Node complete(Node written) {
        var builder = new NodeBuilder(written);
        var pool = poolOf(written);
        pool.ifPresent(
                p -> builder.editMetadata().addToLabels(Names.POOL, p.name()).endMetadata());
        if (written.getStatus() == null
                || written.getStatus().getConditions() == null
                || written.getStatus().getConditions().isEmpty()) {
            builder.editOrNewStatus()
                    .addNewCondition()
                    .withType("Ready")
                    .withStatus("True")
                    .endCondition()
                    .endStatus();
        }
        builder.editOrNewStatus().withAllocatable(allocatable(written, pool)).endStatus();
        if (written.getMetadata().getCreationTimestamp() == null) {
            builder.editMetadata().withCreationTimestamp(now.toString()).endMetadata();
        } else {
            var annotations = new HashMap<String, String>();
            annotations.put(ScalerAnnotations.SEEN_SINCE, written.getMetadata().getCreationTimestamp());
            unchangedSince(written)
                    .ifPresent(since -> annotations.put(
                            isIdle(written) ? ScalerAnnotations.IDLE_SINCE : ScalerAnnotations.UNDER_UTILIZED_SINCE,
                            since.toString()));
            annotations.putAll(
                    Optional.ofNullable(written.getMetadata().getAnnotations()).orElse(Map.of()));
            builder.editMetadata().withAnnotations(annotations).endMetadata();
        }
        return builder.build();
    }

    /**
     * Returns the pool of a node. As in a cluster, the node's pool label decides, or, if the node has none, the labels that pools promise
     * (see {@link Catalogue#poolOf}). If the promised labels do not identify one pool, the promised taints are compared too. The result is
     * then the only pool whose promised labels and taints are all on the node; empty if no pool or several pools match.
     */
    private Optional<Pool> poolOf(Node node) {
        try {
            var shape = NodeReader.shapeOf(node);
            var labelled = shape.labels().get(Names.POOL);
            var pool = catalogue.poolOf(shape);
            if (labelled != null && pool.isEmpty()) {
                remarks.note(
                        "node %s has label %s: %s, but there is no valid pool with this name: the plan assigns the node to no pool"
                                .formatted(shape.name(), Names.POOL, labelled));
            }
            if (labelled != null) {
                return pool;
            }
            var found = pool.or(() -> {
                var matching = catalogue.pools().values().stream()
                        .filter(p -> !p.ownLabels().isEmpty()
                                && shape.labels()
                                        .entrySet()
                                        .containsAll(p.ownLabels().entrySet())
                                && shape.taints().containsAll(p.promise().taints()))
                        .toList();
                return matching.size() == 1 ? Optional.of(matching.get(0)) : Optional.empty();
            });
            found.ifPresent(p -> remarks.note(
                    "node %s is assumed to belong to pool %s, because the node has the labels that the pool promises"
                            .formatted(shape.name(), p.name())));
            return found;
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // The round reports the problem.
        }
    }

    private Map<String, Quantity> allocatable(Node node, Optional<Pool> pool) {
        var status = Optional.ofNullable(node.getStatus());
        var found = status.map(s -> s.getAllocatable())
                .filter(amounts -> !amounts.isEmpty())
                .or(() -> status.map(s -> s.getCapacity()).filter(amounts -> !amounts.isEmpty()));
        var amounts = new HashMap<String, Quantity>();
        if (found.isPresent()) {
            amounts.putAll(found.get());
        } else if (pool.isPresent()) {
            remarks.note("node %s has no status.allocatable: the plan uses the promise of pool %s"
                    .formatted(node.getMetadata().getName(), pool.get().name()));
            pool.get()
                    .promise()
                    .allocatable()
                    .asMap()
                    .forEach((name, amount) -> amounts.put(name, quantity(name, amount)));
        }
        amounts.putIfAbsent(ResourceNames.PODS, new Quantity(DEFAULT_PODS));
        return amounts;
    }

    private static Quantity quantity(String name, long amount) {
        return new Quantity(name.equals(ResourceNames.CPU) ? amount + "m" : Long.toString(amount));
    }

    private boolean isIdle(Node node) {
        return SnapshotReader.onNode(podsOf(node), Names.NAMESPACE).stream().noneMatch(PodOnNode::keepsNodeBusy);
    }

    private List<Pod> podsOf(Node node) {
        return podsByNode.getOrDefault(node.getMetadata().getName(), List.of());
    }

    /**
     * Returns the time of the node's last known change: the node joined, its Ready condition changed, or one of its pods was created,
     * started or ended. The utilization of the node is unchanged since then.
     */
    private Optional<Instant> unchangedSince(Node node) {
        var pods = podsOf(node);
        var times = Stream.of(
                Stream.of(node.getMetadata().getCreationTimestamp()),
                NodeReader.readyCondition(node).stream().map(condition -> condition.getLastTransitionTime()),
                pods.stream().filter(pod -> !PodReading.ended(pod)).flatMap(OfflineNodes::begins),
                pods.stream().filter(PodReading::ended).flatMap(OfflineNodes::ends));
        return times.flatMap(stream -> stream)
                .flatMap(text -> time(text).stream())
                .max(Instant::compareTo);
    }

    private static Stream<@Nullable String> begins(Pod pod) {
        return Stream.of(
                pod.getMetadata().getCreationTimestamp(),
                pod.getStatus() == null ? null : pod.getStatus().getStartTime());
    }

    private static Stream<@Nullable String> ends(Pod pod) {
        var statuses = pod.getStatus() == null ? null : pod.getStatus().getContainerStatuses();
        return Optional.ofNullable(statuses).orElse(List.of()).stream()
                .map(ContainerStatus::getState)
                .filter(state -> state != null && state.getTerminated() != null)
                .map(state -> state.getTerminated().getFinishedAt());
    }

    private static Optional<Instant> time(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
