package dev.trainyard.cli.check;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.trainyard.core.TroubleshootingTopic;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A finding of a check.
 *
 * @param about the checked thing
 * @param seen the finding in a sentence, without a full stop
 * @param object the object, such as {@code Deployment trainyard-system/trainyard-scaler}; empty if the finding is about no single object
 * @param field the field of the object; empty if the finding is about the whole object
 * @param value the value of the field
 * @param expected the expected value of the field
 * @param todo the remedy; empty if none is needed
 * @param see a link to the explanation; empty if there is none
 */
@JsonPropertyOrder({"level", "about", "seen", "object", "field", "value", "expected", "todo", "see"})
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Finding(
        Level level,
        String about,
        String seen,
        String object,
        String field,
        String value,
        String expected,
        String todo,
        String see) {

    /** The severity, the worst last. */
    public enum Level {
        OK,
        /** Information that needs no action. */
        NOTE,
        /** A problem that may be intended or temporary, or a check that was not possible. */
        WARNING,
        /** A problem that keeps pods pending, now or later. */
        ERROR;

        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding ok(String about, String seen) {
        return of(Level.OK, about, seen);
    }

    static Finding note(String about, String seen) {
        return of(Level.NOTE, about, seen);
    }

    static Finding warning(String about, String seen) {
        return of(Level.WARNING, about, seen);
    }

    static Finding error(String about, String seen) {
        return of(Level.ERROR, about, seen);
    }

    static Finding of(Level level, String about, String seen) {
        return new Finding(level, about, seen, "", "", "", "", "", "");
    }

    /** Returns the same finding with an object. */
    Finding on(String object) {
        return new Finding(level, about, seen, object, field, value, expected, todo, see);
    }

    /** Returns the same finding with a field of its object. */
    Finding field(String name, String value, String expected) {
        return new Finding(level, about, seen, object, name, value, expected, todo, see);
    }

    /** Returns the same finding with a remedy. */
    Finding todo(String remedy) {
        return new Finding(level, about, seen, object, field, value, expected, remedy, see);
    }

    /** Returns the same finding with a link to the explanation. */
    Finding see(TroubleshootingTopic trap) {
        return new Finding(level, about, seen, object, field, value, expected, todo, trap.link());
    }

    /** Returns the first {@code most} texts, followed by dots if there are more. */
    static String first(int most, Collection<String> texts) {
        return texts.stream().limit(most).collect(Collectors.joining(", ", "", texts.size() > most ? ", ..." : ""));
    }

    /** Returns the finding as one line. */
    @Override
    public String toString() {
        var line = "%-8s %s: %s%s%s%s"
                .formatted(
                        level,
                        about,
                        seen,
                        place(),
                        todo.isEmpty() ? "" : "; " + todo,
                        see.isEmpty() ? "" : "; see " + see);
        return line.replaceAll("\\s*\\R\\s*", " ");
    }

    private String place() {
        if (field.isEmpty()) {
            return "";
        }
        return " (%s%s = %s%s)"
                .formatted(
                        object.isEmpty() ? "" : object + " ",
                        field,
                        value.isEmpty() ? "(nothing)" : value,
                        expected.isEmpty() ? "" : ", expected " + expected);
    }
}
