package dev.trainyard.scaler.calls;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Waits between calls. */
@FunctionalInterface
public interface Pauses {

    /** On the clock on the wall. */
    Pauses REAL = time -> Thread.sleep(time.toMillis(), time.toNanosPart() % 1_000_000);

    void pause(Duration time) throws InterruptedException;

    /** Between half of {@code time} and all of it: callers that failed together shall not try again together. */
    default Duration jittered(Duration time) {
        return Duration.ofNanos(
                (long) (time.toNanos() * (0.5 + ThreadLocalRandom.current().nextDouble() / 2)));
    }
}
