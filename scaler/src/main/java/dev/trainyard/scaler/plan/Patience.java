package dev.trainyard.scaler.plan;

import java.time.Duration;
import java.time.Instant;

/**
 * How long pods have waited, in steps: 0 for less than ten minutes, 1 for less than twenty, 2 for less than forty, and so on. Pods of a
 * higher step come before others of their priority, however hard those are to place, so that none is left behind for ever; within a step the
 * hardest come first, which packs best. Steps that double keep pods that wait together folded together.
 */
final class Patience {

    /** Longer than a machine and its driver take, so that the step says that something else went first. */
    static final Duration FIRST_STEP = Duration.ofMinutes(10);

    private Patience() {}

    static int of(Instant since, Instant now) {
        long steps = (now.getEpochSecond() - since.getEpochSecond()) / FIRST_STEP.toSeconds();
        return steps <= 0 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(steps);
    }
}
