package dev.trainyard.cloud.azure;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The check whether a periodic action is due. Pure. */
final class Due {

    private Due() {}

    /**
     * Whether the action is due. The action is also due if the last time lies in the future by more than the interval. In this case, the
     * clock was set back, and the action must not wait until the clock has caught up. Smaller differences occur between threads.
     *
     * @param last when the action was last done; null for never
     */
    static boolean isDue(@Nullable Instant last, Duration every, Instant now) {
        return last == null || !now.isBefore(last.plus(every)) || now.isBefore(last.minus(every));
    }
}
