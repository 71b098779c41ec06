package dev.trainyard.scaler;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** What rounds log while it is open. */
public final class Logged implements AutoCloseable {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    /** Begins to listen. */
    public Logged() {
        this(Narrator.class.getName());
    }

    /** To another than rounds. */
    public Logged(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        appender.start();
        logger.addAppender(appender);
    }

    /** Without what is only for those who ask for detail. */
    public List<String> lines() {
        return List.copyOf(appender.list).stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** What is said of a pod, by its UID: the text, and what the pod is found by. */
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
