package dev.trainyard.chaos;

import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The invariant that each round of the scaler gives exactly one reason for each pod that the round sees pending. The round must give a
 * reason for each pod that kube-scheduler has rejected for more than {@link #UNHEARD}.
 */
final class ReasonInvariant {

    private static final String ONE = "each pending pod has one reason";

    /** The tolerance: watches are lost, and processes are suspended, for up to a minute. */
    private static final Duration UNHEARD = Duration.ofMinutes(3);

    private final World world;
    /** The times since which kube-scheduler has found no node, by pod UID. */
    private final Map<String, Long> waiting = new HashMap<>();

    ReasonInvariant(World world) {
        this.world = world;
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /** Checks the outcomes of a round. */
    void ended(Round.Result round) {
        var outcomes = round.plan().outcomes();
        var seen = round.snapshot().waiting().stream().map(PendingPod::uid).collect(Collectors.toSet());
        var lacking = new HashSet<>(seen);
        waiting.forEach((uid, since) -> {
            if (world.time().nanos() - since > UNHEARD.toNanos()) {
                lacking.add(uid);
            }
        });
        lacking.removeAll(outcomes.keySet());
        if (!lacking.isEmpty() || outcomes.size() > seen.size()) {
            throw broken("the round saw %d pending pods and gave %d reasons; UIDs of pending pods without a reason: %s"
                    .formatted(seen.size(), outcomes.size(), lacking));
        }
        for (var outcome : outcomes.values()) {
            if (outcome.message().isBlank()) {
                throw broken("expected a reason, but the message of this outcome is empty: " + outcome);
            }
        }
    }

    private InvariantViolation broken(String how) {
        return new InvariantViolation(ONE, world.time().elapsed(), how);
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            if (isRefused(after)) {
                waiting.putIfAbsent(after.getMetadata().getUid(), world.time().nanos());
            } else {
                removed(after);
            }
        }

        @Override
        public void removed(Pod last) {
            waiting.remove(last.getMetadata().getUid());
        }

        private static boolean isRefused(Pod pod) {
            return NeededMachines.waits(pod)
                    && Optional.ofNullable(pod.getStatus().getConditions()).stream()
                            .flatMap(conditions -> conditions.stream())
                            .anyMatch(condition -> "PodScheduled".equals(condition.getType())
                                    && "False".equals(condition.getStatus()));
        }
    }
}
