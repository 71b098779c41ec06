package dev.trainyard.runtime.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A log layout with one JSON object per event and line. Its members are {@code time}, {@code level}, {@code component} and {@code message}.
 * The event's own values follow as members, such as {@code pod}, {@code uid} and {@code trace}. The member {@code error} has the stack
 * trace, if the event has a throwable.
 */
public final class JsonLayout extends LayoutBase<ILoggingEvent> {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public String doLayout(ILoggingEvent event) {
        var line = new LinkedHashMap<String, Object>();
        line.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
        line.put("level", event.getLevel().toString());
        line.put("component", LineLayout.component(event.getLoggerName()));
        line.put("message", String.valueOf(event.getFormattedMessage()));
        if (event.getKeyValuePairs() != null) {
            // A value with the name of a standard member must not replace that member.
            event.getKeyValuePairs().forEach(pair -> line.putIfAbsent(pair.key, member(pair.value)));
        }
        if (event.getThrowableProxy() != null) {
            line.put("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        try {
            return JSON.writeValueAsString(line) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a log line cannot be written as JSON", e);
        }
    }

    private static Object member(Object value) {
        return value instanceof Number || value instanceof Boolean || value instanceof Map<?, ?>
                ? value
                : String.valueOf(value);
    }
}
