package dev.trainyard.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "",
                "two words",
                "a\\\" tier=forged",
                "a\" tier=forged",
                "a\\",
                "a\\\\\" tier=forged b=\"",
                "C:\\new\\table",
                "a\ntier=forged",
                "a\ttier=forged",
                "a\u00a0tier=forged",
                "a\u2003tier=forged",
                "a\u001b[2J",
                "\u0007",
                "\udb40\udc41",
                "tier=forged",
                "\u00fc",
                "\ud83d\ude82"
            })
    void aValueIsOneFieldOfLogfmtWhateverIsInIt(String value) {
        LoggingEvent event = event(OURS, "completed", null);
        event.addKeyValuePair(new KeyValuePair("pod", value));
        event.addKeyValuePair(new KeyValuePair("uid", "7"));

        String line = line(event);

        assertThat(Logfmt.fields(line)).containsExactly(Map.entry("pod", value), Map.entry("uid", "7"));
        assertThat(line.strip().codePoints().map(Character::getType))
                .doesNotContain((int) Character.CONTROL, (int) Character.FORMAT);
    }

    /** A parser with the grammar of Go's github.com/go-logfmt/logfmt, whose strings are JSON strings. */
    private static final class Logfmt {
        private static final Pattern TOKEN = Pattern.compile(
                "([^\\s=\"]+)(?:=(?:(\"(?:[^\"\\\\]|\\\\.)*\")(?=\\s|$)|([^\\s=\"]*)(?=\\s|$)))?\\s*",
                Pattern.UNICODE_CHARACTER_CLASS);

        /** Returns the words that have a value, in order. */
        static Map<String, String> fields(String line) {
            var fields = new LinkedHashMap<String, String>();
            var token = TOKEN.matcher(line);
            for (int at = 0; at < line.length(); at = token.end()) {
                assertThat(token.find(at) && token.start() == at)
                        .as("a field at %d of %s", at, line)
                        .isTrue();
                if (token.group(2) != null) {
                    fields.put(token.group(1), unquoted(token.group(2)));
                } else if (token.group(3) != null) {
                    fields.put(token.group(1), token.group(3));
                }
            }
            return fields;
        }

        private static String unquoted(String text) {
            try {
                return new ObjectMapper().readValue(text, String.class);
            } catch (JsonProcessingException e) {
                throw new AssertionError(text, e);
            }
        }
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
