package dev.trainyard.webhook.driver;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.tier.Driver;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.MutationNotes;
import java.util.Arrays;
import java.util.List;

/**
 * The environment variable by which programs find the driver's libraries. Our value hides the value of the image, which the webhook cannot
 * see.
 */
final class LibraryPath {

    static final String NAME = "LD_LIBRARY_PATH";

    /** The directories of the driver's libraries in a container. */
    static final List<String> DIRECTORIES = List.of(Driver.LIBRARIES, "/usr/lib/x86_64-linux-gnu");

    private LibraryPath() {}

    /**
     * Completes the variable of a container. An absent variable is set. Missing directories are put in front of a literal value. A value
     * from {@code valueFrom} stays unchanged.
     *
     * @return whether the variable holds all directories
     */
    static boolean complete(Draft pod, Container container, MutationNotes notes) {
        var list = container.member("env");
        var variables = pod.at(list);
        // If two variables have the same name, the last one takes effect.
        for (int index = variables.size() - 1; index >= 0; index--) {
            var variable = variables.path(index);
            if (!variable.path("name").asText().equals(NAME)) {
                continue;
            }
            if (variable.path("valueFrom").isObject()) {
                notes.reservation("%s: %s comes from valueFrom and stays unchanged".formatted(container.label(), NAME));
                return false;
            }
            var value = prepended(variable.path("value").asText(""));
            pod.put(list.appendIndex(index).appendProperty("value"), JsonNodeFactory.instance.textNode(value));
            warnOfHidden(pod, container, value, notes);
            return true;
        }
        var value = prepended("");
        pod.append(list, JsonNodeFactory.instance.objectNode().put("name", NAME).put("value", value));
        warnOfHidden(pod, container, value, notes);
        return true;
    }

    /** Warns that our value overrides a possible value from {@code envFrom}. The webhook cannot see the values of {@code envFrom}. */
    private static void warnOfHidden(Draft pod, Container container, String value, MutationNotes notes) {
        boolean isAllOurs = value.equals(String.join(":", DIRECTORIES));
        if (isAllOurs && !pod.at(container.member("envFrom")).isEmpty()) {
            notes.reservation(
                    "%s: the injected %s overrides any value from envFrom".formatted(container.label(), NAME));
        }
    }

    private static String prepended(String value) {
        var present = Arrays.asList(value.split(":", -1));
        var missing = DIRECTORIES.stream()
                .filter(directory -> !present.contains(directory))
                .toList();
        if (missing.isEmpty()) {
            return value;
        }
        return String.join(":", missing) + (value.isEmpty() ? "" : ":" + value);
    }
}
