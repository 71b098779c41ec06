package dev.trainyard.scaler;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What rounds log while it is open. */
public final class Logged implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger(Narrator.class);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    /** Begins to listen. */
    public Logged() {
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

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
