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
 * The invariant that pods of higher priority get capacity first. The check compares the planned outcomes of pods, not machines. A machine
 * that was requested for a pod of lower priority may serve a pod of higher priority: kube-scheduler also orders pods by priority.
 */
final class PriorityInvariant {

    /** The reasons that concern a pool's capacity, and not the pod itself. */
    private static final Set<Reason> NO_ROOM = Set.of(Reason.AT_MAXIMUM, Reason.BACKED_OFF, Reason.UNREADABLE);

    private final World world;
    private final Predicate<Pod> refused;

    /** @param refused whether a scheduler rule that Trainyard does not know excludes, or has excluded, pods like the given pod */
    PriorityInvariant(World world, Predicate<Pod> refused) {
        this.world = world;
        this.refused = refused;
    }

    /** A pod and its outcome in the plan. */
    private record Told(Pod pod, Outcome outcome) {

        /**
         * Whether the pod stays pending for lack of capacity. False if the planner excludes a pool for the pod because an earlier machine of
         * that pool did not help such pods. The excluded pool stays open to other pods, regardless of priority.
         */
        boolean hasNoRoom() {
            return outcome instanceof Outcome.Unplaced unplaced
                    && NO_ROOM.contains(unplaced.reason())
                    && !unplaced.message().contains("is requested for them until");
        }

        boolean hasPlace() {
            return outcome.isPlaced();
        }

        /** Whether the other pod has a higher priority, and could have had this pod's place. */
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
                // Pods of a gang are left out, because all of them stay pending if one does not fit. Pods that the
                // scheduler refused are left out, because they may not use every pool.
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
                        "pod %s has no place, but pod %s has a place, a lower priority and equal or larger requests"
                                .formatted(told, other));
            });
        }
    }

    static int priority(Pod pod) {
        return Optional.ofNullable(pod.getSpec().getPriority()).orElse(0);
    }
}
