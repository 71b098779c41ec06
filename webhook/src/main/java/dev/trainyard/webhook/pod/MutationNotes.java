package dev.trainyard.webhook.pod;

import dev.trainyard.core.admission.UserText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Messages about a pod: warnings and a summary. Warnings reach the client that creates the pod. Controllers drop warnings, so important
 * messages are also in the summary, which becomes an annotation of the pod. The summary describes the pod and not the changes, so that a
 * second pass over a complete pod gives the same summary. Not thread-safe.
 */
public final class MutationNotes {

    /** The limit of a warning, in characters, as the API's documentation recommends. The API server cuts a warning at 256. */
    private static final int LONGEST_WARNING = 120;

    /** The limit of warnings. The API server passes on at most 4096 characters of all warnings together. */
    private static final int MOST_WARNINGS = 30;

    private static final int LONGEST_PROBLEM = 300;

    private static final int LONGEST_SUMMARY = 2000;

    private final List<String> given = new ArrayList<>();
    private final Set<String> reservations = new LinkedHashSet<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    /** Adds to the summary a part that the pod has from Trainyard. */
    public void given(String what) {
        given.add(what);
    }

    /**
     * Adds a message to the summary and the warnings. The message names a part that the pod lacks and the reason, or a likely mistake in
     * the pod.
     */
    public void reservation(String whatAndWhy) {
        reservations.add(whatAndWhy);
        warnings.add(whatAndWhy);
    }

    /** Adds a warning that is not in the summary. */
    public void warn(String warning) {
        warnings.add(warning);
    }

    /** Whether the summary is empty. */
    public boolean isBlank() {
        return given.isEmpty() && reservations.isEmpty();
    }

    public String summary() {
        var text = String.join("; ", given)
                + (reservations.isEmpty() ? "" : (given.isEmpty() ? "" : "; but ") + String.join("; ", reservations));
        return shorten(text, LONGEST_SUMMARY);
    }

    /** Returns at most 30 warnings of at most 120 characters each. */
    public List<String> warnings() {
        var all = warnings.stream().map(MutationNotes::shortWarning).distinct().toList();
        return all.size() <= MOST_WARNINGS
                ? all
                : Stream.concat(
                                all.stream().limit(MOST_WARNINGS - 1),
                                Stream.of("and %d more".formatted(all.size() - MOST_WARNINGS + 1)))
                        .toList();
    }

    /** Returns {@code text}, cut to the recommended length of a warning. */
    public static String shortWarning(String text) {
        return shorten(text, LONGEST_WARNING);
    }

    /** Returns {@code text}, cut to a length that fits a log line. The text may quote a value of the pod, which may be long. */
    public static String shortProblem(String text) {
        return shorten(text, LONGEST_PROBLEM);
    }

    private static String shorten(String text, int longest) {
        return UserText.printable(text.length() <= longest ? text : text.substring(0, longest - 3) + "...");
    }
}
