package dev.trainyard.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/** A switch that turns off the components' logs. The logs of several simulated days would bury the report. */
public final class LogSuppression {

    private LogSuppression() {}

    /** Runs {@code work} without logs, and restores the log level afterwards. */
    public static <T> T during(Supplier<T> work) {
        var ours = (Logger) LoggerFactory.getLogger("dev.trainyard");
        var before = ours.getLevel();
        ours.setLevel(Level.OFF);
        try {
            return work.get();
        } finally {
            ours.setLevel(before);
        }
    }
}
