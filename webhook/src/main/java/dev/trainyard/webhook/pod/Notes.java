package dev.trainyard.webhook.pod;

import dev.trainyard.core.admission.UserText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is said about a pod. Warnings reach whoever creates the pod; controllers drop them, so what matters later also stands in the
 * summary, an annotation. The summary tells what the pod is like, not what was done to it: a second pass over a complete pod says
 * the same. For one thread.
 */
public final class Notes {

    /** As the API's documentation asks; the server cuts at 256. */
    private static final int LONGEST_WARNING = 120;

    /** The server passes on 4096 characters of all warnings together. */
    private static final int MOST_WARNINGS = 30;

    private static final int LONGEST_PROBLEM = 300;

    private static final int LONGEST_SUMMARY = 2000;

    private final List<String> given = new ArrayList<>();
    private final Set<String> reservations = new LinkedHashSet<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    /** Something that the pod has from us. For the summary. */
    public void given(String what) {
        given.add(what);
    }

    /** Something that the pod does not have from us, and why; or that may not be meant so. For the summary, and a warning. */
    public void reservation(String whatAndWhy) {
        reservations.add(whatAndWhy);
        warnings.add(whatAndWhy);
    }

    /** A warning that only matters now. */
    public void warn(String warning) {
        warnings.add(warning);
    }

    /** Whether there is nothing for the summary. */
    public boolean isBlank() {
        return given.isEmpty() && reservations.isEmpty();
    }

    public String summary() {
        var text = String.join("; ", given)
                + (reservations.isEmpty() ? "" : (given.isEmpty() ? "" : "; but ") + String.join("; ", reservations));
        return shorten(text, LONGEST_SUMMARY);
    }

    /** Each at most 120 characters; at most 30. */
    public List<String> warnings() {
        var all = warnings.stream().map(Notes::shortWarning).distinct().toList();
        return all.size() <= MOST_WARNINGS
                ? all
                : Stream.concat(
                                all.stream().limit(MOST_WARNINGS - 1),
                                Stream.of("and %d more".formatted(all.size() - MOST_WARNINGS + 1)))
                        .toList();
    }

    /** {@code text}, cut to the length that the API asks of warnings. */
    public static String shortWarning(String text) {
        return shorten(text, LONGEST_WARNING);
    }

    /** {@code text}, which may repeat any value of the pod, cut to a length that fits a line of a log. */
    public static String shortProblem(String text) {
        return shorten(text, LONGEST_PROBLEM);
    }

    private static String shorten(String text, int longest) {
        return UserText.printable(text.length() <= longest ? text : text.substring(0, longest - 3) + "...");
    }
}
