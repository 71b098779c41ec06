package dev.trainyard.chaos;

import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.fault.ActivityLog;
import dev.trainyard.simulation.fault.Fault;
import dev.trainyard.simulation.fault.FaultyWorld;
import dev.trainyard.simulation.time.Chance;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A trial of one seed: a random configuration and workload with two hours of faults. Eight hours without new faults follow, and then a quiet
 * hour. In the quiet hour, the scaler should change nothing. If operators are among the faults, every fifth trial goes on: an operator cordons
 * an idle node, if there is one, and forgets it. 25 hours later, the scaler should have removed the node.
 */
final class Trial {

    /** The time from the start of a trial to the end of the faults. */
    private static final Duration TROUBLE = Duration.ofHours(2);
    /**
     * The time of the first check of the final state. All pods can end before that time. The longest back-off is half an hour, and a pod of a
     * Job runs for at most 40 minutes. The clock may have been changed by hours.
     */
    private static final Duration SETTLED = TROUBLE.plusHours(8);

    private static final Duration QUIET = SETTLED.plusHours(1);
    /** In every trial whose seed is divisible by this number, an operator forgets a cordoned node. */
    private static final int FORGETFUL = 5;

    /**
     * The start of 21 hours in which nothing should change. By then the cordoned node has been replaced, if its pool needs it, and the scaler
     * has forgotten a failure of this replacement, which takes an hour.
     */
    private static final Duration REPLACED = QUIET.plusHours(2);

    private static final Duration STILL_CORDONED = REPLACED.plusHours(21);
    /** The time of the last check. The scaler removes a cordoned node that has been idle for 24 hours. */
    private static final Duration REMOVED = QUIET.plusHours(25);

    /**
     * The share of the trials with other faults in which nodes of new machines never join. A pool with such machines backs off, so the other
     * faults have less effect in such trials.
     */
    private static final double WITH_NO_NODE = 0.15;

    /** The share of the trials with other faults in which clouds announce reclaims. The other trials remain as they are without notices. */
    private static final double WITH_NOTICES = 0.5;

    private static final Set<Fault> NOTICES = Set.of(Fault.NOTICE, Fault.NOTICE_STORM, Fault.RECOMMENDATION);

    private static final Duration STEP = Duration.ofMinutes(5);

    private Trial() {}

    /**
     * The result of a trial.
     *
     * @param timeline the checksum of the activity log
     * @param failure the first violated invariant; empty if all held
     */
    record Result(long seed, Set<Fault> faults, long rounds, long timeline, Optional<Failure> failure) {}

    /** @param log the last entries of the activity log */
    record Failure(String invariant, Duration at, String how, List<String> log) {}

    /** Runs a trial. The same arguments give the same result. */
    static Result run(long seed, Set<Fault> faults) {
        var parts = Parts.of(seed, faults);
        Optional<Failure> failure = Optional.empty();
        try {
            parts.play();
        } catch (InvariantViolation broken) {
            failure = Optional.of(new Failure(
                    broken.invariant(),
                    broken.at(),
                    String.valueOf(broken.getMessage()),
                    parts.faulty().log().lines()));
        } catch (RuntimeException e) {
            failure = Optional.of(new Failure(
                    "a trial ends without an exception",
                    parts.faulty().world().time().elapsed(),
                    InvariantViolation.in(e),
                    parts.faulty().log().lines()));
        }
        return new Result(
                seed,
                EnumSet.copyOf(faults),
                parts.invariants().rounds(),
                parts.faulty().log().sum(),
                failure);
    }

    /** @param forgetsCordon whether an operator cordons an idle node after the quiet hour, and forgets it */
    private record Parts(FaultyWorld faulty, Invariants invariants, boolean forgetsCordon) {

        static Parts of(long seed, Set<Fault> faults) {
            var setting = RandomSetting.of(seed);
            var faulty = FaultyWorld.of(setting, injected(seed, faults), TROUBLE);
            var invariants = new Invariants(faulty.world(), faulty.injector()::hasRefused);
            faulty.injector().observe(invariants);
            faulty.world().server().pods().inform(() -> Duration.ZERO).tell(new Verdicts(faulty.log()));
            return new Parts(faulty, invariants, faults.contains(Fault.OPERATOR) && seed % FORGETFUL == 0);
        }

        private static Set<Fault> injected(long seed, Set<Fault> faults) {
            boolean hasNoNode =
                    faults.size() <= 1 || new Chance(seed).of("no node").happens(WITH_NO_NODE);
            boolean hasNotices =
                    NOTICES.containsAll(faults) || new Chance(seed).of("notice").happens(WITH_NOTICES);
            return faults.stream()
                    .filter(fault -> (hasNoNode || fault != Fault.NO_NODE) && (hasNotices || !NOTICES.contains(fault)))
                    .collect(Collectors.toUnmodifiableSet());
        }

        void play() {
            for (var until = STEP; until.compareTo(SETTLED) < 0; until = until.plus(STEP)) {
                faulty.world().passTo(until);
            }
            faulty.world().passTo(SETTLED);
            invariants.settled();
            faulty.injector().takeWrites();
            faulty.world().passTo(QUIET);
            invariants.quiet(faulty.injector().takeWrites());
            if (forgetsCordon) {
                idleNode().ifPresent(this::forget);
            }
        }

        private void forget(String node) {
            faulty.log().note("operator: cordons node %s and forgets it".formatted(node));
            faulty.world().cordon(node, true);
            faulty.world().passTo(REPLACED);
            faulty.injector().takeWrites();
            faulty.world().passTo(STILL_CORDONED);
            invariants.quiet(faulty.injector().takeWrites());
            faulty.world().passTo(REMOVED);
            invariants.settled();
        }

        /** Returns the first node, by name, of a pool's machine that runs no pod. */
        private Optional<String> idleNode() {
            var world = faulty.world();
            return world.server().nodes().all().stream()
                    .map(node -> node.getMetadata().getName())
                    .filter(node -> world.poolOf(node).isPresent() && !world.isBusy(node))
                    .findFirst();
        }
    }

    /** A watch that logs the changes of pods. */
    private record Verdicts(ActivityLog log) implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            if (!said(before).equals(said(after))) {
                log.note("pod %s: %s".formatted(after.getMetadata().getName(), said(after)));
            }
        }

        private static String said(Pod pod) {
            var node = pod.getSpec().getNodeName();
            return node != null
                    ? pod.getStatus().getPhase() + " on " + node
                    : Optional.ofNullable(pod.getStatus().getConditions()).orElse(List.of()).stream()
                            .map(condition -> String.valueOf(condition.getMessage()))
                            .findFirst()
                            .orElse("");
        }
    }
}
