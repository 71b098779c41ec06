package dev.trainyard.cli.importing;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What could not be carried over as it is, and what to do about it; in the order in which it was found, each once. */
public final class Remarks {

    private static final int LONGEST_VALUE = 60;

    private final Set<String> lines = new LinkedHashSet<>();

    /**
     * @param place file and field
     * @param value as the file has it; empty when it has none
     * @param advice what became of it, and what to do
     */
    void add(String place, String value, String advice) {
        var where = place.endsWith(":") ? place : place + ":";
        lines.add(value.isEmpty() ? where + " " + advice : "%s %s: %s".formatted(where, shown(place, value), advice));
    }

    /** One line each. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** Files may hold secrets, and remarks end up in logs. */
    private static String shown(String place, String value) {
        if (place.toLowerCase(Locale.ROOT).matches(".*(secret|password|privatekey|token).*")) {
            return "(not shown)";
        }
        return value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "...";
    }
}
