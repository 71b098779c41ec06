package dev.trainyard.chaos;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.ReturnToSpotSpec;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.MalformedObjects;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The invariants of returns from on-demand machines to spot machines ({@code docs/spot.md}). They are checked when a return takes a machine out
 * of service, since the evictions follow from that. Times are nanoseconds of the run, by a monotonic clock.
 */
final class ReturnInvariants {

    private static final String ROOM = "a return empties a machine only if usable spot machines have room for its pods";
    private static final String LIMIT = "no more pods return at the same time than their tier allows";
    private static final String ASKED = "only pods of tiers with returnToSpot return";
    private static final String NOTHING_LEFT = "an empty node has no mark of a return";

    /** How long the scaler may use an old state of pods and nodes, because watches are late and processes are suspended. */
    private static final Duration LATE = Duration.ofMinutes(3);

    private final World world;
    private final AnnouncedNodes announced;
    /** The times at which pods were bound, by pod UID. */
    private final Map<String, Long> bound = new HashMap<>();
    /** The nodes that were usable and are no longer, by name. */
    private final Map<String, Former> former = new HashMap<>();

    /** @param node the last usable state */
    private record Former(Node node, long until) {}

    ReturnInvariants(World world, AnnouncedNodes announced) {
        this.world = world;
        this.announced = announced;
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
    }

    /** Checks the final state. */
    void settled() {
        for (var node : world.server().nodes().all()) {
            var name = node.getMetadata().getName();
            var annotations =
                    Optional.ofNullable(node.getMetadata().getAnnotations()).orElse(Map.of());
            if (!world.isBusy(name) && annotations.containsKey(ScalerAnnotations.RETURN_TO_SPOT)) {
                throw broken(NOTHING_LEFT, "node %s has no pod, but the annotations %s".formatted(name, annotations));
            }
        }
    }

    private void begins(Node node) {
        var returning = world.server().nodes().all().stream()
                .filter(other -> isReturning(other) && !isLeftToOthers(other))
                .flatMap(other -> podsOn(other).map(pod -> new Returning(pod, other)))
                .toList();
        for (var pod : returning) {
            if (settings(pod.pod()).isEmpty()) {
                throw broken(
                        ASKED,
                        "node %s is emptied for a return, but the tier of pod %s has no returnToSpot"
                                .formatted(pod.node().getMetadata().getName(), ObjectStore.key(pod.pod())));
            }
        }
        limits(returning);
        var staying = returning.stream()
                .filter(pod -> pod.pod().getMetadata().getDeletionTimestamp() == null)
                .toList();
        if (!haveRoom(staying, rooms())) {
            throw broken(
                    ROOM,
                    "node %s is emptied, but usable spot machines have no room for all of %s"
                            .formatted(
                                    node.getMetadata().getName(),
                                    staying.stream()
                                            .map(pod -> ObjectStore.key(pod.pod()))
                                            .toList()));
        }
    }

    private record Returning(Pod pod, Node node) {}

    private void limits(List<Returning> returning) {
        returning.stream()
                .collect(Collectors.groupingBy(
                        pod -> String.valueOf(PodReader.tier(pod.pod())), TreeMap::new, Collectors.counting()))
                .forEach((tier, pods) -> {
                    var most = tier(tier)
                            .map(found -> found.getSpec().returnToSpot())
                            .map(spec -> spec.atMost() == null ? 2 : spec.atMost())
                            .orElse(0);
                    if (pods > most) {
                        throw broken(
                                LIMIT,
                                "%d pods of tier %s return at the same time; expected at most %d"
                                        .formatted(pods, tier, most));
                    }
                });
    }

    /** Whether some assignment places all pods in the rooms. The lists are short: only few pods return at the same time. */
    private boolean haveRoom(List<Returning> pods, List<Room> rooms) {
        if (pods.isEmpty()) {
            return true;
        }
        var first = pods.get(0);
        var requests = PodReader.shapeOf(first.pod()).requests();
        var allowed = spotPoolsBefore(first);
        for (var room : rooms) {
            if (allowed.contains(room.pool()) && room.free().firstLacking(requests) == null) {
                var rest = new ArrayList<>(rooms);
                rest.remove(room);
                rest.add(new Room(room.node(), room.pool(), room.free().minus(requests)));
                if (haveRoom(pods.subList(1, pods.size()), rest)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** @param free what the scaler may see as free */
    private record Room(String node, String pool, Resources free) {}

    /** Returns the nodes that are usable, or were usable a moment ago. Pods that were bound a moment ago may be unknown to the scaler. */
    private List<Room> rooms() {
        former.values().removeIf(node -> isOlder(node.until()));
        return Stream.concat(
                        world.server().nodes().all().stream().filter(NodeFacts::isUsable),
                        former.values().stream().map(Former::node))
                .map(node -> new Room(
                        node.getMetadata().getName(),
                        pool(node),
                        podsOn(node)
                                .map(pod -> PodReader.shapeOf(pod).requests())
                                .reduce(NodeReader.shapeOf(node).allocatable(), Resources::minus)))
                .toList();
    }

    private Set<String> spotPoolsBefore(Returning pod) {
        var spec = tier(String.valueOf(PodReader.tier(pod.pod()))).map(TrainingTier::getSpec);
        var names = spec.map(TrainingTierSpec::pools).orElse(List.of());
        int place = names.indexOf(pool(pod.node()));
        var equal = spec.map(TrainingTierSpec::equallyPreferred).orElse(List.of()).stream()
                .filter(group -> group.contains(pool(pod.node())))
                .flatMap(List::stream)
                .toList();
        return names.subList(0, Math.max(0, place)).stream()
                .filter(name -> !equal.contains(name))
                .filter(name -> world.server()
                        .pools()
                        .get(name)
                        .filter(pool -> pool.getSpec().capacityType() == CapacityType.SPOT)
                        .isPresent())
                .collect(Collectors.toSet());
    }

    /** Returns the pods on a node that the scaler must know. */
    private Stream<Pod> podsOn(Node node) {
        var name = node.getMetadata().getName();
        return world.server().pods().all().stream()
                .filter(pod -> name.equals(pod.getSpec().getNodeName())
                        && !Pods.ended(pod)
                        && !MalformedObjects.isOdd(pod)
                        && isOlder(bound.getOrDefault(
                                pod.getMetadata().getUid(), world.time().nanos())));
    }

    private Optional<ReturnToSpotSpec> settings(Pod pod) {
        return tier(String.valueOf(PodReader.tier(pod)))
                .map(tier -> tier.getSpec().returnToSpot());
    }

    private Optional<TrainingTier> tier(String name) {
        return world.server().tiers().get(name);
    }

    private static String pool(Node node) {
        return Objects.requireNonNullElse(
                Optional.ofNullable(node.getMetadata().getLabels())
                        .orElse(Map.of())
                        .get(Names.POOL),
                "");
    }

    private static boolean isReturning(Node node) {
        return NodeFacts.removal(node)
                .filter(removal -> removal.reason() == Removal.Reason.RETURN_TO_SPOT)
                .isPresent();
    }

    /** Whether the return has ended because of a notice or an operator, although the node still has the mark. */
    private boolean isLeftToOthers(Node node) {
        return NodeFacts.mark(node).isPresent()
                || NodeFacts.isCordoned(node)
                || announced.mayBeEmptied(node.getMetadata().getName());
    }

    private boolean isOlder(long since) {
        return world.time().nanos() - since > LATE.toNanos();
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            changed(pod, pod);
        }

        @Override
        public void changed(Pod before, Pod after) {
            if (after.getSpec().getNodeName() != null) {
                bound.putIfAbsent(after.getMetadata().getUid(), world.time().nanos());
            }
        }

        @Override
        public void removed(Pod last) {
            bound.remove(last.getMetadata().getUid());
        }
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            var name = after.getMetadata().getName();
            if (NodeFacts.isUsable(after)) {
                former.remove(name);
            } else if (NodeFacts.isUsable(before)) {
                former.put(name, new Former(before, world.time().nanos()));
            }
            if (isReturning(after) && !isReturning(before)) {
                begins(after);
            }
        }

        @Override
        public void removed(Node last) {
            if (NodeFacts.isUsable(last)) {
                former.put(
                        last.getMetadata().getName(),
                        new Former(last, world.time().nanos()));
            }
        }
    }
}
