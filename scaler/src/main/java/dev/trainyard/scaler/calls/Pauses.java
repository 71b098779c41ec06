package dev.trainyard.scaler.calls;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;

/** Waits: between calls, and for calls to end. */
@FunctionalInterface
public interface Pauses {

    /** On the clock on the wall. */
    Pauses REAL = time -> Thread.sleep(time.toMillis(), time.toNanosPart() % 1_000_000);

    void pause(Duration time) throws InterruptedException;

    /**
     * Waits for a signal, as {@link Condition#awaitNanos} does.
     *
     * @return what is left of {@code nanos}; zero or less when they are over
     */
    @SuppressWarnings("WaitNotInLoop") // The callers have the loop.
    default long await(Condition signal, long nanos) throws InterruptedException {
        return signal.awaitNanos(nanos);
    }

    /** Between half of {@code time} and all of it: callers that failed together shall not try again together. */
    default Duration jittered(Duration time) {
        return jittered(time, ThreadLocalRandom.current().nextDouble());
    }

    /**
     * Returns a time between half of {@code time} and all of it.
     *
     * @param random from 0, for half of {@code time}, to 1, for all of it
     */
    static Duration jittered(Duration time, double random) {
        return Duration.ofNanos((long) (time.toNanos() * (0.5 + random / 2)));
    }
}
