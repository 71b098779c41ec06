package dev.trainyard.cli.check;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * What was found out about one thing.
 *
 * @param about what was looked at
 * @param seen in a sentence, without a full stop
 * @param todo what to do about it; empty when nothing is
 */
@JsonPropertyOrder({"word", "about", "seen", "todo"})
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Finding(Word word, String about, String seen, String todo) {

    /** How bad it is. */
    public enum Word {
        OK,
        /** May be meant so, or pass. */
        WARNING,
        /** Pods wait, or will. */
        PROBLEM;

        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding ok(String about, String seen) {
        return new Finding(Word.OK, about, seen, "");
    }

    static Finding warning(String about, String seen, String todo) {
        return new Finding(Word.WARNING, about, seen, todo);
    }

    static Finding problem(String about, String seen, String todo) {
        return new Finding(Word.PROBLEM, about, seen, todo);
    }

    /** One line. */
    @Override
    public String toString() {
        var line = "%-8s %s: %s%s".formatted(word, about, seen, todo.isEmpty() ? "" : "; " + todo);
        return line.replaceAll("\\s*\\R\\s*", " ");
    }
}
