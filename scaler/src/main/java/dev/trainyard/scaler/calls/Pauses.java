package dev.trainyard.scaler.calls;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;

/** A way to wait: between calls, and for calls to end. */
@FunctionalInterface
public interface Pauses {

    /** Waits in real time. */
    Pauses REAL = time -> Thread.sleep(time.toMillis(), time.toNanosPart() % 1_000_000);

    void pause(Duration time) throws InterruptedException;

    /**
     * Waits for a signal, as {@link Condition#awaitNanos} does.
     *
     * @return the rest of {@code nanos}; zero or less if the time has passed
     */
    @SuppressWarnings("WaitNotInLoop") // The callers have the loop.
    default long await(Condition signal, long nanos) throws InterruptedException {
        return signal.awaitNanos(nanos);
    }

    /** Returns a random delay between half of {@code time} and all of it, so that retries do not synchronise. */
    default Duration jittered(Duration time) {
        return jittered(time, ThreadLocalRandom.current().nextDouble());
    }

    /**
     * Returns a delay between half of {@code time} and all of it.
     *
     * @param random from 0, for half of {@code time}, to 1, for all of it
     */
    static Duration jittered(Duration time, double random) {
        return Duration.ofNanos((long) (time.toNanos() * (0.5 + random / 2)));
    }
}
