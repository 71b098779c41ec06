package dev.trainyard.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

class JsonLayoutTest {

    @Test
    void whatALineSaysOfItsOwnIsAMember() throws IOException {
        var event = event("completed", null);
        event.addKeyValuePair(new KeyValuePair("trace", "6f0c7b5e-3f2d-4a55-9a43-0f5a3d3c2b11"));
        event.addKeyValuePair(new KeyValuePair("operations", 7));
        event.addKeyValuePair(new KeyValuePair("level", "of nobody"));
        assertThat(read(event).toString())
                .isEqualTo(
                        "{\"time\":\"2026-11-20T09:42:01.123Z\",\"level\":\"INFO\",\"component\":\"scaler\",\"message\":\"completed\","
                                + "\"trace\":\"6f0c7b5e-3f2d-4a55-9a43-0f5a3d3c2b11\",\"operations\":7}");
    }

    @Test
    void eachEventIsOneLineWhateverIsInIt() throws IOException {
        var event = event("a\n{\"level\":\"ERROR\"}\u2028", new IllegalStateException("outer\nline"));
        assertThat(new JsonLayout().doLayout(event)).hasLineCount(1).endsWith("}\n");
        assertThat(read(event).path("message").asText()).isEqualTo("a\n{\"level\":\"ERROR\"}\u2028");
        assertThat(read(event).path("error").asText())
                .contains("IllegalStateException: outer")
                .contains("at ");
    }

    private static JsonNode read(LoggingEvent event) throws IOException {
        return new ObjectMapper().readTree(new JsonLayout().doLayout(event));
    }

    private static LoggingEvent event(String message, @Nullable Throwable thrown) {
        var logger = (Logger) LoggerFactory.getLogger("dev.trainyard.scaler.plan.Planner");
        var event = new LoggingEvent("", logger, Level.INFO, message, thrown, new Object[0]);
        event.setInstant(Instant.parse("2026-11-20T09:42:01.123Z"));
        return event;
    }
}
