package dev.trainyard.scaler.plan;

import java.time.Duration;
import java.time.Instant;

/**
 * The steps of waiting time: 0 for less than ten minutes, 1 for less than twenty, 2 for less than forty, and so on. Among pods of one
 * priority, pods of a higher step are planned first, even if other pods are harder to place. So pods that are harder to place cannot
 * overtake a waiting pod again and again. Within a step, the pods that are hardest to place are planned first, since this order uses the
 * machines best. Steps double in length, so that pods of about equal age usually share a step and stay in one demand.
 */
final class WaitingStep {

    /**
     * The length of step 0. A machine and its driver start in less time, so a pod in a higher step is pending for another reason than the
     * start of its machine.
     */
    static final Duration FIRST_STEP = Duration.ofMinutes(10);

    private WaitingStep() {}

    static int of(Instant since, Instant now) {
        long steps = (now.getEpochSecond() - since.getEpochSecond()) / FIRST_STEP.toSeconds();
        return steps <= 0 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(steps);
    }
}
