package dev.trainyard.cli;

import dev.trainyard.core.Durations;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Tells whoever waits how far a run has got: a line every so often, so that a short one says nothing. */
final class SimulateProgress {

    /** By the time of whoever waits. */
    static final Duration EVERY = Duration.ofSeconds(15);

    private final String run;
    private final Optional<Duration> length;
    private final PrintWriter err;
    private final LongSupplier nanoTime;
    private long told;

    /**
     * @param length how long is simulated; empty when that is open
     * @param nanoTime a clock that nobody sets
     */
    SimulateProgress(String run, Optional<Duration> length, PrintWriter err, LongSupplier nanoTime) {
        this.run = run;
        this.length = length;
        this.err = err;
        this.nanoTime = nanoTime;
        this.told = nanoTime.getAsLong();
    }

    /** @param passed how much time has passed in it */
    void passed(Duration passed) {
        long now = nanoTime.getAsLong();
        if (now - told >= EVERY.toNanos()) {
            told = now;
            err.println("%s: %s%s simulated"
                    .formatted(
                            run,
                            Durations.format(passed),
                            length.map(all -> " of " + Durations.format(all)).orElse("")));
            err.flush();
        }
    }
}
