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
 * Which of Trainyard's own log lines are written. {@code logback.xml} has set everything else: lines go to stderr, the
 * level is {@code TRAINYARD_LOG_LEVEL} (default INFO), and libraries only speak from WARN on.
 */
public final class Logging {
    private static final Set<String> LEVELS = Set.of("ERROR", "WARN", "INFO", "DEBUG", "TRACE");

    /** How lines are written. */
    public enum Format {
        /** For people: {@link LineLayout}. */
        TEXT,
        /** For programs: {@link JsonLayout}. */
        JSON
    }

    private Logging() {}

    /** Sets how the lines of the whole process are written, as a command line option does. */
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
     * Overrides the level for the whole process, as a command line option does.
     *
     * @throws IllegalArgumentException when there is no such level; the message is for the user
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
