package dev.trainyard.core.machine;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Suggestions of machine sizes for an unknown name. */
public final class SizeNames {

    private static final int MOST = 4;

    private SizeNames() {}

    /** Returns the names that are similar to {@code name}, the most similar first; empty if there is none. */
    public static List<String> near(String name, MachineSizes sizes) {
        var wanted = letters(name);
        int tolerated = Math.max(1, wanted.length() / 4);
        return sizes.names().stream()
                .filter(known -> distance(wanted, letters(known)) <= tolerated)
                .sorted(Comparator.comparingInt((String known) -> distance(wanted, letters(known)))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }

    /** Removes the parts that users often omit or add: the prefix {@code Standard} of Azure's names, and punctuation. */
    private static String letters(String name) {
        return name.toLowerCase(Locale.ROOT).replaceFirst("^standard", "").replaceAll("[^a-z0-9]", "");
    }

    /** Returns the Levenshtein distance: the number of letters to insert, delete or change. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
