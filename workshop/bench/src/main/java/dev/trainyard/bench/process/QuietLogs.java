package dev.trainyard.bench.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A scope that raises the log level of Trainyard's components from INFO to WARN. At INFO, their messages would hide the progress
 * messages.
 */
public final class QuietLogs implements AutoCloseable {

    private final @Nullable Logger ours;
    private final @Nullable Level before;

    public QuietLogs() {
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
