package dev.trainyard.scaler.loop;

import dev.trainyard.core.Durations;
import dev.trainyard.scaler.calls.Pauses;
import java.time.Duration;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of rounds: decides when the next round is due. A round is due soon after an event. Without an event, a round is due at the
 * time that the last round asked for, or after the scan interval. Pods are often created in bursts, so a round waits until the burst has
 * ended. A burst has ended if no pod becomes pending for some time: the silence. The silence is longer if pods arrive slowly, since a busy
 * control plane creates pods slowly. Events do not shorten the pause after a failed round. Times are nanoseconds of a monotonic clock. Not
 * thread-safe.
 */
public final class RoundSchedule {

    /** The longest time for which newly pending pods can delay a round, in batch windows. */
    private static final int LONGEST_BATCH = 15;

    /**
     * The silence that ends a burst, as a multiple of the mean time between two arrivals. If pods arrive at random, about one gap in 150 is
     * longer, and ends the burst too early.
     */
    private static final int SILENCE = 5;

    /** The longest pause after the first failed round; doubled for each further failure in a row. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /**
     * The longest pause after any number of failures. This limit is short, since pods may be pending when the cause of the failures ends.
     */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final Duration scanInterval;
    private final Duration batchWindow;
    private final DoubleSupplier random;

    /** The time of the first event since the last round began; null if there was none. */
    private @Nullable Long first;

    /** The time of the last sign of newly pending pods since the last round began; null if there was none. */
    private @Nullable Long lastDemand;

    /** The number of pods that became pending since the last round began. */
    private int arrivals;

    /** The time at which the first of these pods became pending. */
    private long firstArrival;

    private int failures;
    private long due;
    private long notBefore;

    /**
     * @param random returns numbers from 0 to 1, for random pauses after failures
     * @param now the current time; the first round is due at once
     */
    public RoundSchedule(Duration scanInterval, Duration batchWindow, DoubleSupplier random, long now) {
        this.scanInterval = scanInterval;
        this.batchWindow = batchWindow;
        this.random = random;
        this.due = now;
        this.notBefore = now;
    }

    /** Records an event, so that a round is due soon. */
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

    /** Returns when the next round is due if no further event happens. */
    public long next() {
        return Math.max(Math.min(soon(), due), notBefore);
    }

    /**
     * Whether a round that is due because of an event may still wait for the end of a burst. If so, {@link #expected} delays the round. A
     * round that is due without an event does not wait.
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
     * @param next the time from now until the next round; null if the ended round asked for no time. Ignored if it is not shorter than the
     *     scan interval
     */
    public void ended(long now, @Nullable Duration next) {
        failures = 0;
        if (next != null && next.compareTo(scanInterval) < 0) {
            // The comparison comes first: the time may be centuries ahead, and a long cannot hold so many nanoseconds.
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

    /**
     * Returns a random pause: between half of the longest pause for this number of failures and all of it. Scalers that failed together
     * then do not retry together.
     */
    public static Duration pause(int failures, double random) {
        return Pauses.jittered(Durations.doubled(FIRST_PAUSE, failures - 1, LONGEST_PAUSE), random);
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
     * Returns the silence that ends the burst; 0 for a single pod, which has no rate. The time is divided by the number of pods, not by the
     * number of gaps between them. This shortens the silence after only a few pods, since their gaps say little about the rate.
     */
    private long silence(long lastDemand) {
        return arrivals < 2 ? 0 : SILENCE * ((lastDemand - firstArrival) / arrivals);
    }

    private long latest(long since) {
        return since + batchWindow.multipliedBy(LONGEST_BATCH).toNanos();
    }
}
