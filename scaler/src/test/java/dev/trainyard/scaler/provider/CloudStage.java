package dev.trainyard.scaler.provider;

import dev.trainyard.core.pool.Pool;
import java.util.Set;

/**
 * A cloud that a test plays on: what the scaler reaches through a provider, and what happens there without it. Begins with one cloud
 * resource for spot machines that has no machine and takes up to 20.
 */
public interface CloudStage extends AutoCloseable {

    /** What a cloud, or the double that stands for it, can be made to do. Tests that need more are skipped. */
    enum Ability {
        /** {@link #stock}. */
        RUNS_OUT,
        /** It still says, to a process that has just started, why machines did not come. */
        REMEMBERS_FAILURES,
        /** What it ran out of comes when there is more. */
        DELIVERS_LATE,
        /** A machine is seen being made before it runs. */
        MAKES_SLOWLY,
        /** {@link #vanish}. */
        LOSES_MACHINES,
        /** {@link #resize}. */
        IS_RESIZED,
        /** {@link #throttle} and its like. */
        FAILS,
        /** {@link #loseAnswer}. */
        LOSES_ANSWERS,
        /** {@link #bound}. */
        IS_BOUNDED,
        /** It refuses to remove machines that {@link #bound} says it must keep. */
        KEEPS_ITS_LEAST
    }

    Set<Ability> abilities();

    /** Always the same one, as long as the process lives that it stands for; see {@link #restart}. */
    CloudProvider provider();

    /** As its administrator describes it; may change with {@link #stock} where a pool's description is where that is set. */
    Pool pool();

    /** The target by the cloud's own book. */
    int target();

    /** Machines by the cloud's own book that are there or being made, those on their way out left out. */
    Set<String> machines();

    /** Lets pass so much time that whatever is being made is seen, but does not run yet. */
    void appear();

    /** Lets pass so much time that nothing more happens by itself: what can be delivered runs, what cannot has failed. */
    void settle();

    /** How many machines there are to be had, those that the pool has included. Without limit at first. */
    default void stock(int machines) {
        throw new UnsupportedOperationException();
    }

    /** Takes a machine away as a spot interruption does. */
    default void vanish(String machine) {
        throw new UnsupportedOperationException();
    }

    /** Somebody else asks for {@code target} machines. */
    default void resize(int target) {
        throw new UnsupportedOperationException();
    }

    /** Sizes outside these are refused from now on. */
    default void bound(int least, int most) {
        throw new UnsupportedOperationException();
    }

    /** From now on every request is one too many. */
    default void throttle() {
        throw new UnsupportedOperationException();
    }

    /** From now on no request is answered. */
    default void breakDown() {
        throw new UnsupportedOperationException();
    }

    /** From now on no request is permitted. */
    default void forbid() {
        throw new UnsupportedOperationException();
    }

    /** The next request that changes something is carried out, and its answer never arrives. */
    default void loseAnswer() {
        throw new UnsupportedOperationException();
    }

    /** Ends what {@link #throttle}, {@link #breakDown} and {@link #forbid} began. */
    default void mend() {
        throw new UnsupportedOperationException();
    }

    /** The scaler died and another one starts: {@link #provider} is a new one that remembers nothing. */
    void restart();

    @Override
    void close();
}
