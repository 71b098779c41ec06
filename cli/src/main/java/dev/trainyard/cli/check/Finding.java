package dev.trainyard.cli.check;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.trainyard.core.Trap;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What was found out about one thing.
 *
 * @param about what was looked at
 * @param seen in a sentence, without a full stop
 * @param object such as {@code Deployment trainyard-system/trainyard-scaler}; empty when it is about no single one
 * @param field of the object; empty when it is about the whole
 * @param value that the field has
 * @param expected that it should have
 * @param todo what to do about it; empty when nothing is
 * @param see where that is explained; empty when nowhere
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

    /** How bad it is, the worst last. */
    public enum Level {
        OK,
        /** Worth knowing; nothing need be done. */
        NOTE,
        /** May be meant so, or pass; or it could not be checked. */
        WARNING,
        /** Pods wait, or will. */
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

    /** The same, of this object. */
    Finding on(String object) {
        return new Finding(level, about, seen, object, field, value, expected, todo, see);
    }

    /** The same, of this field of its object. */
    Finding field(String name, String value, String expected) {
        return new Finding(level, about, seen, object, name, value, expected, todo, see);
    }

    /** The same, with what to do about it. */
    Finding todo(String remedy) {
        return new Finding(level, about, seen, object, field, value, expected, remedy, see);
    }

    /** The same, with where it is explained. */
    Finding see(Trap trap) {
        return new Finding(level, about, seen, object, field, value, expected, todo, trap.link());
    }

    /** Returns the first texts, at most so many, with a sign that there are more. */
    static String first(int most, Collection<String> texts) {
        return texts.stream().limit(most).collect(Collectors.joining(", ", "", texts.size() > most ? ", ..." : ""));
    }

    /** One line. */
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
