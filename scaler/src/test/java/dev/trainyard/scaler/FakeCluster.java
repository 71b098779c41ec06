package dev.trainyard.scaler;

import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.observe.SnapshotReader;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** An in-memory API server with the features that the scaler uses. */
public final class FakeCluster implements Cluster {

    public final Map<String, TrainingPool> pools = new TreeMap<>();
    public final Map<String, TrainingTier> tiers = new TreeMap<>();
    /** Whether writes of the statuses of tiers fail. */
    public boolean refusesTierStatuses;
    /** Whether cordons fail. */
    public boolean refusesCordons;

    public final Map<String, Pod> pods = new TreeMap<>();
    public final Map<String, Node> nodes = new TreeMap<>();
    public final List<DaemonSet> daemonSets = new ArrayList<>();
    public final List<PodDisruptionBudget> budgets = new ArrayList<>();
    public final Map<String, NamespaceFacts> namespaces = new HashMap<>(Map.of("team", NamespaceFacts.NONE));
    public CpuPodsOnGpuNodes cpuPodsOnGpuNodes = CpuPodsOnGpuNodes.NEVER;
    public final List<String> changes = new ArrayList<>();
    public final FakeEvictions evictions = new FakeEvictions(pods, budgets);
    /** Runs before and after each change, so that a test can interrupt a round of the scaler there. */
    private Runnable interruption = () -> {};

    public void interruptWith(Runnable step) {
        interruption = step;
    }

    public void pool(String name, TrainingPoolSpec spec) {
        var pool = new TrainingPool();
        pool.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid("uid-" + name)
                .withGeneration(1L)
                .build());
        pool.setSpec(spec);
        pools.put(name, pool);
    }

    public void tier(String name, TrainingTierSpec spec) {
        var tier = new TrainingTier();
        tier.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid("uid-" + name)
                .withGeneration(1L)
                .build());
        tier.setSpec(spec);
        tiers.put(name, tier);
    }

    public void add(Pod pod) {
        pods.put(pod.getMetadata().getName(), pod);
    }

    public void place(String pod, String node) {
        changePod(
                pod,
                before -> before.editSpec()
                        .withNodeName(node)
                        .endSpec()
                        .editStatus()
                        .withPhase("Running")
                        .endStatus());
    }

    /** Changes a pod, if it exists, as others do. */
    void changePod(String pod, UnaryOperator<PodBuilder> change) {
        pods.computeIfPresent(
                pod, (name, before) -> change.apply(new PodBuilder(before)).build());
    }

    /** Changes a node, if it exists, as others do. */
    void changeNode(String node, UnaryOperator<NodeBuilder> change) {
        nodes.computeIfPresent(
                node, (name, before) -> change.apply(new NodeBuilder(before)).build());
    }

    @Override
    public View view() {
        return new View(
                Catalogues.of(pools.values(), tiers.values()).with(cpuPodsOnGpuNodes),
                new TreeMap<>(pools),
                new TreeMap<>(tiers),
                new KubernetesObjects(
                        List.copyOf(pods.values()),
                        List.copyOf(nodes.values()),
                        List.copyOf(daemonSets),
                        List.copyOf(budgets)),
                name -> Optional.ofNullable(namespaces.get(name)));
    }

    @Override
    public void annotate(String node, Map<String, Optional<String>> annotations) {
        change(
                "annotate %s %s".formatted(node, String.join(",", new TreeMap<>(annotations).keySet())),
                () -> edit(node, builder -> {
                    annotations.forEach((name, value) -> value.ifPresentOrElse(
                            v -> builder.editMetadata()
                                    .addToAnnotations(name, v)
                                    .endMetadata(),
                            () -> builder.editMetadata()
                                    .removeFromAnnotations(name)
                                    .endMetadata()));
                }));
    }

    @Override
    public void label(String node, Map<String, String> labels) {
        change(
                "label %s %s".formatted(node, new TreeMap<>(labels)),
                () -> edit(
                        node,
                        builder -> builder.editMetadata().addToLabels(labels).endMetadata()));
    }

    @Override
    public void cordon(String node, Removal removal) {
        if (refusesCordons) {
            throw new KubernetesClientException("refused");
        }
        change("cordon " + node, () -> nodes.computeIfPresent(node, (name, before) -> Cordon.set(before, removal)));
    }

    @Override
    public void uncordon(String node, Optional<Instant> idleSince) {
        change("uncordon " + node, () -> {
            nodes.computeIfPresent(node, (name, before) -> Cordon.lift(before));
            idleSince.ifPresent(since -> edit(
                    node,
                    builder -> builder.editMetadata()
                            .addToAnnotations(ScalerAnnotations.IDLE_SINCE, since.toString())
                            .endMetadata()));
        });
    }

    @Override
    public void annotate(PodOnNode pod, Map<String, Optional<String>> annotations) {
        change(
                "annotate pod %s %s".formatted(pod, String.join(",", new TreeMap<>(annotations).keySet())),
                () -> pods.computeIfPresent(pod.name(), (name, before) -> {
                    var builder = new PodBuilder(before);
                    annotations.forEach((key, value) -> value.ifPresentOrElse(
                            text -> builder.editMetadata()
                                    .addToAnnotations(key, text)
                                    .endMetadata(),
                            () -> builder.editMetadata()
                                    .removeFromAnnotations(key)
                                    .endMetadata()));
                    return builder.build();
                }));
    }

    @Override
    public void nominate(PendingPod pod, Optional<String> node) {
        change("nominate pod %s for %s".formatted(pod, node.orElse("no node")), () -> {
            if (!pods.containsKey(pod.name())) {
                throw new KubernetesClientException("pod %s is not found".formatted(pod), 404, null);
            }
            changePod(
                    pod.name(),
                    before -> before.editStatus()
                            .withNominatedNodeName(node.orElse(null))
                            .endStatus());
        });
    }

    @Override
    public void removeGate(PendingPod pod) {
        change(
                "remove gate of pod " + pod,
                () -> changePod(
                        pod.name(),
                        before ->
                                before.editSpec().withSchedulingGates(List.of()).endSpec()));
    }

    @Override
    public boolean evict(PodOnNode pod, Optional<Duration> grace) {
        var went = new boolean[1];
        change("evict " + pod, () -> went[0] = evictions.evict(pod.name(), grace));
        return went[0];
    }

    @Override
    public List<PodOnNode> podsOn(String node) {
        return SnapshotReader.onNode(
                pods.values().stream()
                        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                        .toList(),
                Names.NAMESPACE);
    }

    @Override
    public void delete(String node, String uid) {
        change("delete " + node, () -> nodes.remove(node));
    }

    @Override
    public void status(TrainingPool pool, TrainingPoolStatus status) {
        var name = pool.getMetadata().getName();
        change("status " + name, () -> {
            var changed = new TrainingPool();
            changed.setMetadata(pool.getMetadata());
            changed.setSpec(pool.getSpec());
            changed.setStatus(status);
            pools.put(name, changed);
        });
    }

    @Override
    public void status(TrainingTier tier, TrainingTierStatus status) {
        if (refusesTierStatuses) {
            throw new KubernetesClientException("refused");
        }
        var name = tier.getMetadata().getName();
        changes.add("status " + name);
        var changed = new TrainingTier();
        changed.setMetadata(tier.getMetadata());
        changed.setSpec(tier.getSpec());
        changed.setStatus(status);
        tiers.put(name, changed);
    }

    private void edit(String node, java.util.function.Consumer<NodeBuilder> edit) {
        nodes.computeIfPresent(node, (name, before) -> {
            var builder = new NodeBuilder(before);
            edit.accept(builder);
            return builder.build();
        });
    }

    private void change(String what, Runnable change) {
        interruption.run();
        changes.add(what);
        change.run();
        interruption.run();
    }
}
