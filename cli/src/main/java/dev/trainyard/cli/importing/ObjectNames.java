package dev.trainyard.cli.importing;

import java.util.Locale;
import java.util.Set;

/** Names of pools and tiers: such as Kubernetes allows for an object, and for the label that a pool's name becomes. */
final class ObjectNames {

    private static final int LONGEST = 63;

    private ObjectNames() {}

    /** The nearest name that is allowed; {@code pool} when nothing of it is. */
    static String of(String text) {
        var name = text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]+", "-").replaceAll("^-+|-+$", "");
        if (name.length() > LONGEST) {
            name = name.substring(0, LONGEST).replaceAll("-+$", "");
        }
        return name.isEmpty() ? "pool" : name;
    }

    /** The same, with a number behind it when there is one of that name already. */
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
