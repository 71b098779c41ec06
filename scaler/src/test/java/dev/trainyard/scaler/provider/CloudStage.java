package dev.trainyard.scaler.provider;

import dev.trainyard.core.pool.Pool;
import java.util.Set;

/**
 * A cloud under a test's control. The scaler uses the cloud through a provider, and the test changes the cloud directly. At first, the
 * cloud has one resource for up to 20 spot machines, and no machine.
 */
public interface CloudStage extends AutoCloseable {

    /** The abilities of a cloud, or of its test double. A test that needs a missing ability is skipped. */
    enum Ability {
        /** Supports {@link #stock}. */
        RUNS_OUT,
        /** Still reports to a newly started process why machines were not delivered. */
        REMEMBERS_FAILURES,
        /** Delivers missing machines once there is stock again. */
        DELIVERS_LATE,
        /** Shows a machine that is being created before it runs. */
        MAKES_SLOWLY,
        /** Supports {@link #vanish}. */
        LOSES_MACHINES,
        /** Supports {@link #resize}. */
        IS_RESIZED,
        /** Supports {@link #throttle} and similar failures. */
        FAILS,
        /** Supports {@link #loseAnswer}. */
        LOSES_ANSWERS,
        /** Supports {@link #bound}. */
        IS_BOUNDED,
        /** Refuses to remove machines below the lower bound of {@link #bound}. */
        KEEPS_ITS_LEAST
    }

    Set<Ability> abilities();

    /** Returns the provider, which stays the same object until {@link #restart}. */
    CloudProvider provider();

    /** Returns the pool with its administrator's spec. If the spec contains the stock, {@link #stock} changes the pool. */
    Pool pool();

    /** Returns the target as the cloud recorded it. */
    int target();

    /** Returns the machines that exist or are being created, as the cloud recorded them, without those being deleted. */
    Set<String> machines();

    /** Waits until machines that are being created are visible, but do not run yet. */
    void appear();

    /** Waits until nothing more happens by itself: machines in stock run, and other requests have failed. */
    void settle();

    /** Sets how many machines the cloud can provide, including those that the pool has. At first there is no limit. */
    default void stock(int machines) {
        throw new UnsupportedOperationException();
    }

    /** Removes a machine as a spot interruption does. */
    default void vanish(String machine) {
        throw new UnsupportedOperationException();
    }

    /** Sets the target as another tool or person would. */
    default void resize(int target) {
        throw new UnsupportedOperationException();
    }

    /** Makes the cloud refuse sizes outside these bounds. */
    default void bound(int least, int most) {
        throw new UnsupportedOperationException();
    }

    /** Makes the cloud throttle every request. */
    default void throttle() {
        throw new UnsupportedOperationException();
    }

    /** Makes the cloud answer no request. */
    default void breakDown() {
        throw new UnsupportedOperationException();
    }

    /** Makes the cloud deny every request. */
    default void forbid() {
        throw new UnsupportedOperationException();
    }

    /** Makes the cloud carry out the next change but lose its answer. */
    default void loseAnswer() {
        throw new UnsupportedOperationException();
    }

    /** Ends the effect of {@link #throttle}, {@link #breakDown} and {@link #forbid}. */
    default void clearFaults() {
        throw new UnsupportedOperationException();
    }

    /** Restarts the scaler. Afterwards, {@link #provider} returns a new provider without any state. */
    void restart();

    @Override
    void close();
}
