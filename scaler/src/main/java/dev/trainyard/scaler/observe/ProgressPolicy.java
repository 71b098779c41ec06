package dev.trainyard.scaler.observe;

import dev.trainyard.core.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The choice between spot and on-demand machines for a training with a deadline, by the policy Uniform Progress: Wu et al., "Can't Be Late:
 * Optimizing Spot Instance Savings under Deadlines", NSDI 2024. The policy compares the progress with a line, which rises uniformly from
 * the start of the training to its deadline. Its rules:
 *
 * <ul>
 *   <li>Spot machines are used whenever they are available, and until they are reclaimed.
 *   <li>A training without a machine waits for spot machines while it is ahead of the line, and else gets an on-demand machine.
 *   <li>A training on an on-demand machine stays there until it is ahead of the line by two changeovers.
 *   <li>A training without a machine gets an on-demand machine if the time left is only enough for the remaining work and two changeovers.
 * </ul>
 *
 * One rule differs: a training on an on-demand machine never stops to wait for a spot machine. The last rule keeps the deadline: a spot
 * machine that is tried before costs at most one changeover, and the on-demand machine after it costs the other one.
 *
 * <p>After the deadline, the policy has no effect any more.
 *
 * @param stated what the author states
 * @param start when the training began to wait for its first machine
 * @param saved how much of the work earlier pods of the training have done, less the restart cost of each interruption
 * @param runningSince when the pod's containers started; empty if they do not run
 * @param launch the longest time from the request of a machine until the machine is usable or given up
 */
public record ProgressPolicy(
        TrainingDeadline stated, Instant start, Duration saved, Optional<Instant> runningSince, Duration launch) {

    /** The pools that a pending pod may get machines of, the least urgent choice first. */
    public enum Choice {
        /** Only spot pools: the training can wait for spot machines. */
        SPOT_ONLY,
        /** The pools of the tier in their order. */
        ANY_POOL,
        /** On-demand pools before spot pools: the training would be late otherwise. */
        ON_DEMAND_FIRST
    }

    /** Returns the progress: the part of the work that the training has done, including the part since its last checkpoint. */
    public Duration progress(Instant now) {
        var ran = runningSince.map(since -> Duration.between(since, now)).orElse(Duration.ZERO);
        var done = saved.plus(ran.isNegative() ? Duration.ZERO : ran);
        return stated.work().map(all -> Durations.min(all, done)).orElse(done);
    }

    /** Returns the progress that is left if the pod is interrupted now. Short runs do not reduce the progress of earlier pods. */
    public Duration progressAfterInterruption(Instant now) {
        return runningSince.isEmpty()
                ? saved
                : Durations.max(saved, progress(now).minus(stated.restartCost()));
    }

    /** Returns the choice if the pod is pending. A pod that runs counts as if it was interrupted now. */
    public Choice choose(Instant now) {
        if (hasPassed(now)) {
            return Choice.ANY_POOL;
        }
        var progress = progressAfterInterruption(now);
        if (!now.isBefore(lastMoment(progress))) {
            return Choice.ON_DEMAND_FIRST;
        }
        return aheadUntil(progress).filter(now::isBefore).isPresent() ? Choice.SPOT_ONLY : Choice.ANY_POOL;
    }

    /** Returns until when a pod that is pending now may wait for spot machines; empty if it may not. */
    public Optional<Instant> waitsUntil(Instant now) {
        return choose(now) == Choice.SPOT_ONLY ? nextChange(now) : Optional.empty();
    }

    /** Returns when the result of {@link #choose} changes if the pod stays pending; empty if it does not change any more. */
    public Optional<Instant> nextChange(Instant now) {
        var progress = progressAfterInterruption(now);
        return Stream.concat(aheadUntil(progress).stream(), Stream.of(lastMoment(progress), stated.at()))
                .filter(time -> now.isBefore(time) && !hasPassed(now))
                .min(Instant::compareTo);
    }

    /**
     * Whether a running pod may be interrupted to save costs: the time left is enough for further changeovers, or the deadline has passed.
     */
    public boolean mayMove(Instant now) {
        return hasPassed(now) || now.isBefore(lastMoment(progress(now)));
    }

    /** Whether a pod on an on-demand machine may return to a spot machine. */
    public boolean mayReturnToSpot(Instant now) {
        boolean isAhead = aheadUntil(progress(now))
                .map(until -> !now.plus(changeovers()).isAfter(until))
                .orElse(true);
        return hasPassed(now) || (mayMove(now) && isAhead);
    }

    private boolean hasPassed(Instant now) {
        return !now.isBefore(stated.at());
    }

    /** Returns when the time left is only enough for the remaining work and two changeovers. */
    private Instant lastMoment(Duration progress) {
        var remaining = stated.work().map(all -> all.minus(progress)).orElse(Duration.ZERO);
        return stated.at().minus(remaining).minus(changeovers());
    }

    /** Returns when the line reaches the progress; empty if the work is unknown. */
    private Optional<Instant> aheadUntil(Duration progress) {
        return stated.work().map(all -> {
            double share = (double) progress.toMillis() / all.toMillis();
            var whole = Duration.between(start, stated.at());
            return whole.isNegative() ? start : start.plusMillis((long) (share * whole.toMillis()));
        });
    }

    /** Returns the time of two changeovers. A changeover is the launch of a machine and a restart. */
    private Duration changeovers() {
        return launch.plus(stated.restartCost()).multipliedBy(2);
    }
}
