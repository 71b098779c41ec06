package dev.trainyard.webhook.fuzz;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import dev.trainyard.runtime.log.LineLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.LoggerFactory;

/** A replacement for the log that keeps only forbidden content: errors, stack traces and terminal control characters. */
final class LogCheck extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private static final int LONGEST = 4_000;

    private final LineLayout layout = new LineLayout();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicLong lines = new AtomicLong();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final List<Appender<ILoggingEvent>> others = new ArrayList<>();

    LogCheck() {
        for (Iterator<Appender<ILoggingEvent>> all = root.iteratorForAppenders(); all.hasNext(); ) {
            others.add(all.next());
        }
        others.forEach(root::detachAppender);
        start();
        root.addAppender(this);
    }

    /** Returns the forbidden content since the last call. */
    List<String> takeWrong() {
        var taken = List.copyOf(wrong);
        wrong.clear();
        return taken;
    }

    long lines() {
        return lines.get();
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.incrementAndGet();
        var line = layout.doLayout(event);
        var printed = line.stripTrailing();
        if (event.getLevel() == Level.ERROR
                || event.getThrowableProxy() != null
                || printed.length() > LONGEST
                || printed.chars().anyMatch(Character::isISOControl)) {
            wrong.add(line);
        }
    }

    @Override
    public void close() {
        root.detachAppender(this);
        others.forEach(root::addAppender);
    }
}
