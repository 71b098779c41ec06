package dev.trainyard.chaos;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Outcome.Reason;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.cluster.World;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The invariant of pods that compete for capacity: those of a higher priority are served first. It is checked in the outcomes of pods, not
 * in machines: a machine that was requested for a lower priority still serves the higher one, since kube-scheduler orders pods by priority,
 * too.
 */
final class PriorityInvariant {

    /** The reasons that concern a pool's capacity, and not the pod itself. */
    private static final Set<Reason> NO_ROOM = Set.of(Reason.AT_MAXIMUM, Reason.BACKED_OFF, Reason.UNREADABLE);

    private final World world;
    private final Predicate<Pod> refused;

    /** @param refused whether an unknown rule excludes, or has excluded, such pods */
    PriorityInvariant(World world, Predicate<Pod> refused) {
        this.world = world;
        this.refused = refused;
    }

    /** A pod and its outcome. */
    private record Told(Pod pod, Outcome outcome) {

        /**
         * Whether the pod stays pending for lack of capacity. Not if a machine of a pool did not help such pods: that pool is closed to
         * them at any priority, but open to other pods.
         */
        boolean hasNoRoom() {
            return outcome instanceof Outcome.Unplaced unplaced
                    && NO_ROOM.contains(unplaced.reason())
                    && !unplaced.message().contains("is requested for them until");
        }

        boolean hasPlace() {
            return outcome instanceof Outcome.OnNode
                    || outcome instanceof Outcome.Upcoming
                    || outcome instanceof Outcome.Growing;
        }

        /** Whether the other pod is more urgent, and could have had this pod's place. */
        boolean isBefore(Told other) {
            var has = PodReader.shapeOf(pod);
            var wants = PodReader.shapeOf(other.pod);
            return priority(pod) < priority(other.pod)
                    && has.withoutRequests().equals(wants.withoutRequests())
                    && isNoLess(has, wants);
        }

        private static boolean isNoLess(PodShape one, PodShape other) {
            return one.requests().max(other.requests()).equals(one.requests());
        }

        @Override
        public String toString() {
            return "%s of priority %d (%s)".formatted(ObjectStore.key(pod), priority(pod), outcome.message());
        }
    }

    /** Checks the outcomes of a round. */
    void ended(Plan plan) {
        var left = new ArrayList<Told>();
        var served = new ArrayList<Told>();
        for (var pod : world.server().pods().all()) {
            var outcome = plan.outcomes().get(pod.getMetadata().getUid());
            if (outcome != null) {
                var told = new Told(pod, outcome);
                // All pods of a gang wait if one does not fit. Pods that the scheduler refused may not use every pool.
                if (told.hasNoRoom() && CompleteGangs.gang(pod).isEmpty() && !refused.test(pod)) {
                    left.add(told);
                } else if (told.hasPlace()) {
                    served.add(told);
                }
            }
        }
        for (var told : left) {
            served.stream().filter(other -> other.isBefore(told)).findFirst().ifPresent(other -> {
                throw new InvariantViolation(
                        "pods of higher priority come first",
                        world.time().elapsed(),
                        "pod %s has no place, but pod %s has one and requests at least as much".formatted(told, other));
            });
        }
    }

    static int priority(Pod pod) {
        return Optional.ofNullable(pod.getSpec().getPriority()).orElse(0);
    }
}
