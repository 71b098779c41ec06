package dev.trainyard.cli.importing;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The remarks about values that could not be imported unchanged, with advice. Keeps the remarks in order, without duplicates. */
public final class ImportRemarks {

    private static final int LONGEST_VALUE = 60;

    private final Set<String> lines = new LinkedHashSet<>();

    /**
     * @param place the file and field
     * @param value the value in the file; empty if there is none
     * @param advice the effect on the import, and the remedy
     */
    void add(String place, String value, String advice) {
        var where = place.endsWith(":") ? place : place + ":";
        lines.add(value.isEmpty() ? where + " " + advice : "%s %s: %s".formatted(where, shown(place, value), advice));
    }

    /** Returns the remarks, one line each. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** Returns the value, shortened; hides values that may be secrets, because remarks end up in logs. */
    private static String shown(String place, String value) {
        if (place.toLowerCase(Locale.ROOT).matches(".*(secret|password|privatekey|token).*")) {
            return "(not shown)";
        }
        return value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "...";
    }
}
