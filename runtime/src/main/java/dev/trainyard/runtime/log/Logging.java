package dev.trainyard.runtime.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.Locale;
import java.util.Set;
import org.slf4j.LoggerFactory;

/**
 * Which of Trainyard's own log lines are written. {@code logback.xml} has set everything else: lines go to stderr, the
 * level is {@code TRAINYARD_LOG_LEVEL} (default INFO), and libraries only speak from WARN on.
 */
public final class Logging {
    private static final Set<String> LEVELS = Set.of("ERROR", "WARN", "INFO", "DEBUG", "TRACE");

    private Logging() {}

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
