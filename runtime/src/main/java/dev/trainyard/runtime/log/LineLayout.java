package dev.trainyard.runtime.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * A log layout with exactly one line per event: {@code 2026-11-20T09:42:01.123Z INFO  scaler  message key=value}. The third column is the
 * component or module that the logger belongs to. A parser of logfmt can read the keys and values, because a value that is not a plain word
 * is written as a JSON string. A throwable follows on the same line, with the innermost stack frame first.
 */
public final class LineLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final String OURS = "dev.trainyard.";
    private static final int FRAMES = 12;
    private static final int CAUSES = 4;

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160);
        TIME.formatTo(Instant.ofEpochMilli(event.getTimeStamp()), line);
        line.append(' ').append(padded(event.getLevel().toString(), 5)).append(' ');
        line.append(padded(component(event.getLoggerName()), 7)).append(' ');
        line.append(event.getFormattedMessage());
        if (event.getKeyValuePairs() != null) {
            event.getKeyValuePairs().forEach(pair -> append(line, pair));
        }
        append(line, event.getThrowableProxy());
        return escaped(line) + System.lineSeparator();
    }

    /**
     * Returns the component of a logger: {@code scaler} for {@code dev.trainyard.scaler.plan.Planner}, {@code vertx} for {@code io.vertx.core.X}.
     */
    static String component(String logger) {
        String rest =
                logger.startsWith(OURS) ? logger.substring(OURS.length()) : logger.substring(logger.indexOf('.') + 1);
        int end = rest.indexOf('.');
        return end < 0 ? rest : rest.substring(0, end);
    }

    private static void append(StringBuilder line, KeyValuePair pair) {
        String value = String.valueOf(pair.value);
        line.append(' ').append(pair.key).append('=').append(isPlain(value) ? value : quoted(value));
    }

    private static boolean isPlain(String value) {
        return !value.isEmpty()
                && value.codePoints()
                        .noneMatch(c -> Character.isWhitespace(c)
                                || Character.isSpaceChar(c)
                                || c == '"'
                                || c == '='
                                || c == '\\'
                                || mustNotBePrinted(c));
    }

    private static CharSequence quoted(String value) {
        return escaped("\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
    }

    private static void append(StringBuilder line, @Nullable IThrowableProxy thrown) {
        String opening = " | ";
        for (int depth = 0; thrown != null && depth < CAUSES; depth++, thrown = thrown.getCause()) {
            line.append(opening).append(thrown.getClassName());
            if (thrown.getMessage() != null) {
                line.append(": ").append(thrown.getMessage());
            }
            opening = " | caused by ";
            StackTraceElementProxy[] frames = thrown.getStackTraceElementProxyArray();
            for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
                StackTraceElement frame = frames[i].getStackTraceElement();
                line.append(i == 0 ? " at " : " < ").append(simple(frame.getClassName()));
                line.append('.').append(frame.getMethodName()).append(':').append(frame.getLineNumber());
            }
        }
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    /** Escapes line ends and control characters. If they were printed, a message could forge or hide other events. */
    private static CharSequence escaped(CharSequence text) {
        if (text.codePoints().noneMatch(LineLayout::mustNotBePrinted)) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (c == '\n' || c == '\r') {
                escaped.append(c == '\n' ? "\\n" : "\\r");
            } else if (mustNotBePrinted(c)) {
                for (char unit : Character.toChars(c)) {
                    escaped.append("\\u%04x".formatted((int) unit));
                }
            } else {
                escaped.appendCodePoint(c);
            }
        });
        return escaped;
    }

    private static boolean mustNotBePrinted(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
