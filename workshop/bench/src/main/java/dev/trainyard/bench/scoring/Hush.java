package dev.trainyard.bench.scoring;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** While this is open, components say only what is wrong: one for each order of arrival would bury the progress. */
final class Hush implements AutoCloseable {

    private final @Nullable Logger ours;
    private final @Nullable Level before;

    Hush() {
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
