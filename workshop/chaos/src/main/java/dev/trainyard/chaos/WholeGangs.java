package dev.trainyard.chaos;

import dev.trainyard.scaler.observe.PodReading;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.MalformedObjects;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** The invariants of gangs whose pods have Trainyard's scheduling gate. */
final class WholeGangs {

    private static final String RESERVED = "a gang starts only with room for all its pods";
    private static final String NO_PART = "no part of a gang keeps its gates";

    private final World world;

    WholeGangs(World world) {
        this.world = world;
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /** Checks the final state. */
    void settled() {
        world.server().pods().all().stream()
                .filter(pod -> PodReading.isGated(pod) && others(pod).stream().anyMatch(WholeGangs::mayBePlaced))
                .findFirst()
                .ifPresent(pod -> {
                    throw broken(
                            NO_PART,
                            "pod %s has its gate, but others of its gang do not".formatted(ObjectStore.key(pod)));
                });
    }

    /** Checks the members that keep their gates when the first gate of a gang is removed. */
    private void starts(Pod first) {
        var others = others(first);
        if (CompleteGangs.gang(first).isEmpty() || others.stream().anyMatch(WholeGangs::mayBePlaced)) {
            return;
        }
        var without = others.stream()
                .filter(pod -> PodReading.isGated(pod) && nominated(pod).isEmpty())
                .map(ObjectStore::key)
                .collect(Collectors.joining(", "));
        if (!without.isEmpty() || nominated(first).isEmpty()) {
            throw broken(
                    RESERVED,
                    "the gate of pod %s was removed before room was reserved for all; without room: %s"
                            .formatted(ObjectStore.key(first), without));
        }
    }

    /** Returns the living pods of the pod's gang, without the pod. */
    private List<Pod> others(Pod pod) {
        return world.server().pods().all().stream()
                .filter(other -> !MalformedObjects.isOdd(other)
                        && !Pods.ended(other)
                        && other.getMetadata().getDeletionTimestamp() == null
                        && CompleteGangs.gang(other).equals(CompleteGangs.gang(pod))
                        && !ObjectStore.key(other).equals(ObjectStore.key(pod)))
                .toList();
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }

    private static boolean mayBePlaced(Pod pod) {
        return !PodReading.isGated(pod);
    }

    private static String nominated(Pod pod) {
        var node = pod.getStatus().getNominatedNodeName();
        return node == null ? "" : node;
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void added(Pod pod) {}

        @Override
        public void changed(Pod before, Pod after) {
            if (PodReading.isGated(before) && !PodReading.isGated(after)) {
                starts(after);
            }
        }

        @Override
        public void removed(Pod last) {}
    }
}
