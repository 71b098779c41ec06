package dev.trainyard.scaler.calls;

import dev.trainyard.core.Durations;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The calls of one pool, which run one after another, and the last reading. Guarded by the lock of {@link Clouds}. */
final class PoolCallQueue {

    /** The pause after the first throttled call. It is doubled after each further throttled call, up to {@link #LONGEST_REST}. */
    private static final Duration FIRST_REST = Duration.ofSeconds(1);

    private static final Duration LONGEST_REST = Duration.ofMinutes(1);

    final LastReading reading;

    @Nullable
    PoolCall running;
    /** The call that waits for the running call to end. */
    @Nullable
    PoolCall next;

    /** The failure of the last termination; null if it did not fail, or if the failure was reported. */
    @Nullable
    ProviderException notTerminated;

    private int throttled;
    private long restsUntil = Long.MIN_VALUE;
    private String restsFor = "";

    /** @param recent the age up to which a reading is a basis for decisions */
    PoolCallQueue(Duration recent) {
        reading = new LastReading(recent);
    }

    boolean idle() {
        return running == null && next == null;
    }

    void throttled(ProviderException why, long now, Pauses pauses) {
        var rest = pauses.jittered(Durations.doubled(FIRST_REST, throttled, LONGEST_REST));
        throttled++;
        restsUntil = now
                + Math.max(
                        rest.toNanos(), why.retryAfter().orElse(Duration.ZERO).toNanos());
        restsFor = why.words();
    }

    void answered() {
        throttled = 0;
    }

    boolean rests(long now) {
        return restsUntil != Long.MIN_VALUE && now < restsUntil;
    }

    String restsFor() {
        return restsFor;
    }
}
