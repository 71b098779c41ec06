package dev.trainyard.scaler.loop;

import dev.trainyard.scaler.calls.Pauses;
import java.time.Duration;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of rounds: decides when the next one is due. A round is due soon after an event, at the time that the last round asked for,
 * and at least once in each scan interval. Pods are seldom created one at a time, so a burst may end first. A burst has ended after a
 * silence whose length depends on the rate of arrivals, since a busy control plane creates pods slowly. After a failed round, events do not
 * shorten the pause. Times are nanoseconds of a monotonic clock. Not thread-safe.
 */
public final class RoundSchedule {

    /** The longest delay of a round by new demand, in batch windows. */
    private static final int LONGEST_BATCH = 15;

    /** The silence that ends a burst, in mean times between two arrivals. By chance, one silence in 150 within a burst is as long. */
    private static final int SILENCE = 5;

    /** The pause after a failed round, whatever happens; doubled for each failure before it. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** The longest pause after any number of failures: the cause ends at some time, and pods are pending then. */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final Duration scanInterval;
    private final Duration batchWindow;
    private final DoubleSupplier random;

    /** The times of the first event and of the last new demand since the last round; null if there was none. */
    private @Nullable Long first;

    private @Nullable Long lastDemand;

    /** The number of pods that arrived since the last round, and the time of the first. */
    private int arrivals;

    private long firstArrival;
    private int failures;
    private long due;
    private long notBefore;

    /**
     * @param random returns numbers from 0 to 1
     * @param now the current time; the first round is due at once
     */
    public RoundSchedule(Duration scanInterval, Duration batchWindow, DoubleSupplier random, long now) {
        this.scanInterval = scanInterval;
        this.batchWindow = batchWindow;
        this.random = random;
        this.due = now;
        this.notBefore = now;
    }

    /** Records an event that a round should look at. */
    public void happened(long now) {
        first = first == null ? Long.valueOf(now) : first;
    }

    /** Records a pod that became pending; more may follow. */
    public void demanded(long now) {
        firstArrival = arrivals == 0 ? now : firstArrival;
        arrivals++;
        expected(now);
    }

    /** Records that more pods are expected to become pending. Does not count as an arrival. */
    public void expected(long now) {
        happened(now);
        lastDemand = now;
    }

    /** Returns when the next round is due if nothing happens until then. */
    public long next() {
        return Math.max(Math.min(soon(), due), notBefore);
    }

    /**
     * Whether a round that an event made due may wait for the end of a burst. {@link #expected} delays it then. A round that is due anyway
     * does not wait, since nothing could delay it.
     */
    public boolean mayWaitForMore(long now) {
        return lastDemand != null && first != null && now < latest(first) && now < due;
    }

    /** Records the beginning of a round, which sees all events so far. */
    public void begun(long now) {
        first = null;
        lastDemand = null;
        arrivals = 0;
        due = now + scanInterval.toNanos();
    }

    /**
     * Records the end of a round.
     *
     * @param next the time from now until the next round, if the round asked for one; only values below the scan interval count
     */
    public void ended(long now, @Nullable Duration next) {
        failures = 0;
        if (next != null && next.compareTo(scanInterval) < 0) {
            // Users may set durations of centuries, which nanoseconds in a long cannot hold.
            due = Math.min(due, now + next.toNanos());
        }
    }

    /**
     * Records a failed round.
     *
     * @return the time until the next attempt
     */
    public Duration failed(long now) {
        var pause = pause(++failures, random.getAsDouble());
        notBefore = now + pause.toNanos();
        due = notBefore;
        return pause;
    }

    /** Returns a random pause between half of the longest and all of it, so that two scalers that failed together do not retry together. */
    public static Duration pause(int failures, double random) {
        int doublings = Math.min(failures - 1, 20);
        var longest = FIRST_PAUSE.multipliedBy(1L << doublings);
        longest = longest.compareTo(LONGEST_PAUSE) < 0 ? longest : LONGEST_PAUSE;
        return Pauses.jittered(longest, random);
    }

    private long soon() {
        if (first == null) {
            return Long.MAX_VALUE;
        }
        return lastDemand == null
                ? first + batchWindow.toNanos()
                : Math.min(lastDemand + Math.max(batchWindow.toNanos(), silence(lastDemand)), latest(first));
    }

    /**
     * Returns the silence that ends the burst; 0 for a single pod, which has no rate. The time is divided by the number of pods, not of the
     * gaps between them, so that two pods that arrived together by chance wait less.
     */
    private long silence(long lastDemand) {
        return arrivals < 2 ? 0 : SILENCE * ((lastDemand - firstArrival) / arrivals);
    }

    private long latest(long since) {
        return since + batchWindow.multipliedBy(LONGEST_BATCH).toNanos();
    }
}
