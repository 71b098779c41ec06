package dev.trainyard.scaler.plan;

import java.time.Duration;
import java.time.Instant;

/**
 * The steps of waiting time: 0 for less than ten minutes, 1 for less than twenty, 2 for less than forty, and so on. Among pods of one priority,
 * a higher step is planned first, even if the others are harder to place. So each pod is planned at some time. Within a step the hardest pods
 * are planned first, which packs best. Steps double in length, so that pods that wait together stay folded into one demand.
 */
final class WaitingStep {

    /** The length of step 0. Longer than a machine and its driver take to start, so that a pod of a higher step was really passed over. */
    static final Duration FIRST_STEP = Duration.ofMinutes(10);

    private WaitingStep() {}

    static int of(Instant since, Instant now) {
        long steps = (now.getEpochSecond() - since.getEpochSecond()) / FIRST_STEP.toSeconds();
        return steps <= 0 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(steps);
    }
}
