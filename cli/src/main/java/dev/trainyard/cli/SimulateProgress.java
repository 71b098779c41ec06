package dev.trainyard.cli;

import dev.trainyard.core.Durations;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A reporter of a run's progress. Prints one line per {@link #EVERY} of real time, so that a short run prints nothing. */
final class SimulateProgress {

    /** The interval between reports, in real time. */
    static final Duration EVERY = Duration.ofSeconds(15);

    private final String run;
    private final Optional<Duration> length;
    private final PrintWriter err;
    private final LongSupplier nanoTime;
    private long told;

    /**
     * @param length the simulated time; empty if the end is open
     * @param nanoTime a monotonic clock
     */
    SimulateProgress(String run, Optional<Duration> length, PrintWriter err, LongSupplier nanoTime) {
        this.run = run;
        this.length = length;
        this.err = err;
        this.nanoTime = nanoTime;
        this.told = nanoTime.getAsLong();
    }

    /** @param passed the virtual time since the start of the run */
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
