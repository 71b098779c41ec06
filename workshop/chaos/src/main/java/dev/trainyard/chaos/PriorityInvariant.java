package dev.trainyard.chaos;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Outcome.Reason;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.simulation.api.Shelf;
import dev.trainyard.simulation.cluster.World;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What must hold of pods that cannot all have a place: those of a higher priority come first. It is looked at in what pods are told: a machine that was
 * bought for a lesser one goes to the other all the same, as kube-scheduler goes by priority too.
 */
final class PriorityInvariant {

    /** What is said where a pool has no room, and not of the pod itself. */
    private static final Set<Reason> NO_ROOM = Set.of(Reason.AT_MAXIMUM, Reason.BACKED_OFF, Reason.UNREADABLE);

    private final World world;
    private final Predicate<Pod> refused;

    /** @param refused whether an unknown rule is, or was, against such pods */
    PriorityInvariant(World world, Predicate<Pod> refused) {
        this.world = world;
        this.refused = refused;
    }

    /** What a pod is told. */
    private record Told(Pod pod, Outcome outcome) {

        /** Not where a machine of a pool did not help such pods, of whatever priority: others than those may have one of it. */
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

        /** Whether its place would have been one for the other, which is more urgent. */
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
            return "%s of priority %d (%s)".formatted(Shelf.key(pod), priority(pod), outcome.message());
        }
    }

    /** After a round. */
    void ended(Plan plan) {
        var left = new ArrayList<Told>();
        var served = new ArrayList<Told>();
        for (var pod : world.server().pods().all()) {
            var outcome = plan.outcomes().get(pod.getMetadata().getUid());
            if (outcome != null) {
                var told = new Told(pod, outcome);
                // Of a gang all wait where there is no room for one. What the scheduler refused may not have every
                // pool.
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
                        "what is of a higher priority comes first",
                        world.time().elapsed(),
                        "there is no place for pod %s, and one for pod %s, which asks for no less"
                                .formatted(told, other));
            });
        }
    }

    static int priority(Pod pod) {
        return Optional.ofNullable(pod.getSpec().getPriority()).orElse(0);
    }
}
