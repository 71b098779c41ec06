package dev.trainyard.scaler;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.trainyard.scaler.report.RoundReporter;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** A recorder of log lines, from its creation until it is closed. */
public final class Logged implements AutoCloseable {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    /** Begins to record the log of the scaler's rounds. */
    public Logged() {
        this(RoundReporter.class.getName());
    }

    /** Begins to record the logger of that name. */
    public Logged(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        appender.start();
        logger.addAppender(appender);
    }

    /** Returns the lines of level INFO and above. */
    public List<String> lines() {
        return List.copyOf(appender.list).stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** Returns the lines about the pod with this UID, each with its text and all its keys. */
    public List<String> of(String uid) {
        return List.copyOf(appender.list).stream()
                .filter(event -> event.getKeyValuePairs() != null
                        && event.getKeyValuePairs().stream()
                                .anyMatch(pair -> pair.key.equals("uid") && uid.equals(pair.value)))
                .map(event -> event.getFormattedMessage() + " "
                        + event.getKeyValuePairs().stream()
                                .map(pair -> pair.key + "=" + pair.value)
                                .collect(Collectors.joining(" ")))
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
