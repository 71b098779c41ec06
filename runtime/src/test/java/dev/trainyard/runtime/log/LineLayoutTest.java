package dev.trainyard.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

class LineLayoutTest {
    private static final String OURS = "dev.trainyard.scaler.plan.Planner";

    @Test
    void showsTimeLevelComponentMessageAndKeys() {
        LoggingEvent event = event(OURS, "pool grew pool={} by={}", null, "heavy-spot", 3);
        event.addKeyValuePair(new KeyValuePair("reason", "two pods wait"));

        assertThat(line(event))
                .isEqualTo("2026-11-20T09:42:01.123Z INFO  scaler  pool grew pool=heavy-spot by=3"
                        + " reason=\"two pods wait\"\n");
    }

    @Test
    void aMessageCannotForgeAnotherLine() {
        assertThat(line(event(OURS, "pod={}", null, "a\n2026-11-20T09:42:01.123Z ERROR")))
                .isEqualTo("2026-11-20T09:42:01.123Z INFO  scaler  pod=a\\n2026-11-20T09:42:01.123Z ERROR\n");
    }

    @Test
    void aMessageCannotCommandATerminal() {
        assertThat(line(event(OURS, "pod={}", null, "a\u001b[2J\u0085\u2028\u202eb\tc\u00fc")))
                .endsWith("pod=a\\u001b[2J\\u0085\\u2028\\u202eb\\u0009c\u00fc\n");
    }

    @Test
    void anExceptionWithItsCauseStaysOnTheLine() {
        Exception thrown = new IllegalStateException("outer", new IllegalArgumentException("inner\nsecond"));

        assertThat(line(event(OURS, "failed", thrown)))
                .startsWith("2026-11-20T09:42:01.123Z INFO  scaler  failed | java.lang.IllegalStateException: outer at"
                        + " LineLayoutTest.anExceptionWithItsCauseStaysOnTheLine:")
                .contains(" | caused by java.lang.IllegalArgumentException: inner\\nsecond at LineLayoutTest.")
                .hasLineCount(1);
    }

    @Test
    void librariesAreNamedByTheirOwner() {
        assertThat(LineLayout.component("io.vertx.core.net.impl.ConnectionBase"))
                .isEqualTo("vertx");
        assertThat(LineLayout.component("dev.trainyard.webhook.server")).isEqualTo("webhook");
        assertThat(LineLayout.component("plain")).isEqualTo("plain");
    }

    @Test
    void librariesAreQuietAndOurLevelCanBeChanged() {
        Logger ours = (Logger) LoggerFactory.getLogger("dev.trainyard.anything");
        Logger library = (Logger) LoggerFactory.getLogger("io.netty.anything");
        Level before = ours.getEffectiveLevel();
        try {
            assertThat(library.isInfoEnabled()).isFalse();
            Logging.level("trace");
            assertThat(ours.isTraceEnabled()).isTrue();
            assertThatThrownBy(() -> Logging.level("loud"))
                    .hasMessage("log level \"loud\" is unknown; expected one of error, warn, info, debug, trace");
        } finally {
            Logging.level(before.toString());
        }
    }

    private static String line(LoggingEvent event) {
        return new LineLayout().doLayout(event);
    }

    private static LoggingEvent event(String logger, String message, @Nullable Throwable thrown, Object... arguments) {
        LoggingEvent event = new LoggingEvent(
                LineLayoutTest.class.getName(),
                new LoggerContext().getLogger(logger),
                Level.INFO,
                message,
                thrown,
                arguments);
        event.setInstant(Instant.parse("2026-11-20T09:42:01.123Z"));
        return event;
    }
}
