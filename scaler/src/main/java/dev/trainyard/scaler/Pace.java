package dev.trainyard.scaler;

import dev.trainyard.scaler.calls.Pauses;
import java.time.Duration;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the next round is due: soon after something happened, when the last round said so, and at the scan interval anyway. Pods are
 * seldom created one at a time, so that it lets a burst end first. How long a silence must last to be the end depends on how fast pods have
 * arrived: a busy control plane creates them slowly. After a round that failed nothing hurries it. Times are nanoseconds by a monotonic
 * clock. Not thread-safe.
 */
public final class Pace {

    /** A stream of new demand puts a round off for at most this many batch windows. */
    private static final int LONGEST_BATCH = 15;

    /**
     * Arrivals are missing for so long, in mean times between two, when a burst has ended: by chance a silence lasts that long once in 150
     * times.
     */
    private static final int SILENCE = 5;

    /** After a round that failed the next one comes no sooner than this, whatever happens; doubled for each one that failed before it. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** However many rounds failed: whatever was wrong is over at some time, and then somebody waits. */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final Duration scanInterval;
    private final Duration batchWindow;
    private final DoubleSupplier random;

    /** When the first event and the last new demand since the last round came; null: none did. */
    private @Nullable Long first;

    private @Nullable Long lastDemand;

    /** The pods that arrived since the last round, and when the first of them did. */
    private int arrivals;

    private long firstArrival;
    private int failures;
    private long due;
    private long notBefore;

    /**
     * @param random from 0 to 1
     * @param now the first round is due at once
     */
    public Pace(Duration scanInterval, Duration batchWindow, DoubleSupplier random, long now) {
        this.scanInterval = scanInterval;
        this.batchWindow = batchWindow;
        this.random = random;
        this.due = now;
        this.notBefore = now;
    }

    /** Something happened that a round should look at. */
    public void happened(long now) {
        first = first == null ? Long.valueOf(now) : first;
    }

    /** A pod became pending: there may be more to come. */
    public void demanded(long now) {
        firstArrival = arrivals == 0 ? now : firstArrival;
        arrivals++;
        expected(now);
    }

    /** More pods are expected to become pending. Counts for no arrival. */
    public void expected(long now) {
        happened(now);
        lastDemand = now;
    }

    /** When to look next, if nothing happens until then. */
    public long next() {
        return Math.max(Math.min(soon(), due), notBefore);
    }

    /**
     * Whether a round that is due for what happened may wait for the end of a burst, if one is known to go on. {@link #expected} puts it
     * off. One that would be due anyway does not wait: nothing could put it off.
     */
    public boolean mayWaitForMore(long now) {
        return lastDemand != null && first != null && now < latest(first) && now < due;
    }

    /** A round begins: it sees all that happened so far. */
    public void begun(long now) {
        first = null;
        lastDemand = null;
        arrivals = 0;
        due = now + scanInterval.toNanos();
    }

    /**
     * Records the end of a round.
     *
     * @param next how long after now the next round should look, if it said so; less than the scan interval counts
     */
    public void ended(long now, @Nullable Duration next) {
        failures = 0;
        if (next != null && next.compareTo(scanInterval) < 0) {
            // Users may write durations of centuries, which nanoseconds cannot count.
            due = Math.min(due, now + next.toNanos());
        }
    }

    /**
     * Records a failed round.
     *
     * @return after how long the next one tries again
     */
    public Duration failed(long now) {
        var pause = pause(++failures, random.getAsDouble());
        notBefore = now + pause.toNanos();
        due = notBefore;
        return pause;
    }

    /** Between half of it and all of it, so that two scalers that failed together do not try together. */
    static Duration pause(int failures, double random) {
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

    /** A single pod has no rate. Two that came together by chance are divided by two, not by one, so that they wait less. */
    private long silence(long lastDemand) {
        return arrivals < 2 ? 0 : SILENCE * ((lastDemand - firstArrival) / arrivals);
    }

    private long latest(long since) {
        return since + batchWindow.multipliedBy(LONGEST_BATCH).toNanos();
    }
}
