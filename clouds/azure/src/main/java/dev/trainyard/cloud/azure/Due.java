package dev.trainyard.cloud.azure;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Whether what is done now and then is to be done again. Pure. */
final class Due {

    private Due() {}

    /**
     * Also when the last time lies in the future, by more than what threads differ by: the clock was set back then, and waiting for it to catch
     * up would freeze what was read.
     *
     * @param last when it was done; null for never
     */
    static boolean isDue(@Nullable Instant last, Duration every, Instant now) {
        return last == null || !now.isBefore(last.plus(every)) || now.isBefore(last.minus(every));
    }
}
