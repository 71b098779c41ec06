package dev.trainyard.cli.importing;

import java.util.Locale;
import java.util.Set;

/** Functions that make names of pools and tiers. The names are valid for objects and for the label with a pool's name. */
final class ObjectNames {

    private static final int LONGEST = 63;

    private ObjectNames() {}

    /** Returns the nearest valid name; {@code pool} if no character is valid. */
    static String of(String text) {
        var name = text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]+", "-").replaceAll("^-+|-+$", "");
        if (name.length() > LONGEST) {
            name = name.substring(0, LONGEST).replaceAll("-+$", "");
        }
        return name.isEmpty() ? "pool" : name;
    }

    /** Returns the nearest valid name, with a number appended if the name is taken. */
    static String unique(String text, Set<String> taken) {
        var name = of(text);
        for (int number = 2; !taken.add(name); number++) {
            var end = "-" + number;
            var start = of(text);
            name = start.substring(0, Math.min(start.length(), LONGEST - end.length())) + end;
        }
        return name;
    }
}
