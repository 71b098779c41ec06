package dev.trainyard.runtime.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import java.util.Locale;
import java.util.Set;
import org.slf4j.LoggerFactory;

/**
 * The settings for Trainyard's own log lines. {@code logback.xml} sets everything else: lines are written to stderr, the level is
 * {@code TRAINYARD_LOG_LEVEL} (default INFO), and libraries log only from WARN on.
 */
public final class Logging {
    private static final Set<String> LEVELS = Set.of("ERROR", "WARN", "INFO", "DEBUG", "TRACE");

    /** The format of log lines. */
    public enum Format {
        /** For people: {@link LineLayout}. */
        TEXT,
        /** For programs: {@link JsonLayout}. */
        JSON
    }

    private Logging() {}

    /** Sets the format for the whole process, for a command line option. */
    public static void format(Format format) {
        if (!(LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root)) {
            return;
        }
        root.iteratorForAppenders().forEachRemaining(appender -> {
            if (appender instanceof OutputStreamAppender<ILoggingEvent> stream
                    && stream.getEncoder() instanceof LayoutWrappingEncoder<ILoggingEvent> encoder) {
                var layout = format == Format.JSON ? new JsonLayout() : new LineLayout();
                layout.setContext(root.getLoggerContext());
                layout.start();
                encoder.setLayout(layout);
            }
        });
    }

    /**
     * Overrides the level of all of Trainyard's own loggers, for a command line option.
     *
     * @throws IllegalArgumentException if the level is unknown; the message is for the user
     */
    public static void level(String level) {
        String name = level.toUpperCase(Locale.ROOT);
        if (!LEVELS.contains(name)) {
            throw new IllegalArgumentException(
                    "log level \"" + level + "\" is unknown; expected one of error, warn, info, debug, trace");
        }
        if (LoggerFactory.getLogger("dev.trainyard") instanceof Logger ours) {
            ours.setLevel(Level.toLevel(name));
        }
    }
}
