package dev.trainyard.bench.scoring;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A scope that raises the log level of Trainyard's components from INFO to WARN. At INFO, one message for each replay would hide the
 * progress messages.
 */
final class QuietLogs implements AutoCloseable {

    private final @Nullable Logger ours;
    private final @Nullable Level before;

    QuietLogs() {
        ours = LoggerFactory.getLogger("dev.trainyard") instanceof Logger logger ? logger : null;
        before = ours == null ? null : ours.getLevel();
        if (ours != null && ours.getEffectiveLevel() == Level.INFO) {
            ours.setLevel(Level.WARN);
        }
    }

    @Override
    public void close() {
        if (ours != null) {
            ours.setLevel(before);
        }
    }
}
