package dev.trainyard.bench.measure;

import dev.trainyard.bench.load.Connections;
import dev.trainyard.bench.load.Load;
import java.time.Duration;

/** A detector of whether a server has reached its full speed. Not thread-safe. */
public final class WarmUpDetector {

    private static final double MUCH = 1.05;
    private static final int ROUNDS_WITHOUT_GAIN = 4;

    private final Duration most;
    private double best;
    private int withoutGain;
    private long nanos;

    /** @param most maximum time of warm-up load */
    WarmUpDetector(Duration most) {
        this.most = most;
    }

    /**
     * Keeps a server under load until rounds no longer get much faster, or until {@code most} has passed. The warm-up has no fixed length,
     * because the JVM optimises code more slowly if it gets less CPU.
     */
    public static void reach(Connections connections, Duration round, Duration most) {
        var warmth = new WarmUpDetector(most);
        while (!warmth.isReached()) {
            warmth.add(connections.run(round));
        }
    }

    /** Adds another round under load. */
    void add(Load round) {
        nanos += round.nanos();
        withoutGain = round.requestsPerSecond() > best * MUCH ? 0 : withoutGain + 1;
        best = Math.max(best, round.requestsPerSecond());
    }

    /** Whether each of the last four rounds was at most 5 % faster than the best round before, or the maximum time has passed. */
    boolean isReached() {
        return withoutGain >= ROUNDS_WITHOUT_GAIN || nanos >= most.toNanos();
    }
}
