package dev.trainyard.bench.measure;

import dev.trainyard.bench.load.Connections;
import dev.trainyard.bench.load.Load;
import java.time.Duration;

/** Whether a server has become as fast as it becomes. For one thread. */
public final class Warmth {

    private static final double MUCH = 1.05;
    private static final int ROUNDS_WITHOUT_GAIN = 4;

    private final Duration most;
    private double best;
    private int withoutGain;
    private long nanos;

    /** @param most for how long it is worth waiting */
    Warmth(Duration most) {
        this.most = most;
    }

    /**
     * The JVM makes code fast while it runs, the more slowly the less of the machine it gets. So a server is kept under load until a
     * round is no longer much faster than the best before, for a time that has an end.
     */
    public static void reach(Connections connections, Duration round, Duration most) {
        var warmth = new Warmth(most);
        while (!warmth.isReached()) {
            warmth.add(connections.run(round));
        }
    }

    /** Another round under load. */
    void add(Load round) {
        nanos += round.nanos();
        withoutGain = round.requestsPerSecond() > best * MUCH ? 0 : withoutGain + 1;
        best = Math.max(best, round.requestsPerSecond());
    }

    /** Whether four rounds in a row were not 5 % faster than the best before them, or the time is over. */
    boolean isReached() {
        return withoutGain >= ROUNDS_WITHOUT_GAIN || nanos >= most.toNanos();
    }
}
