package dev.trainyard.webhook.driver;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.Notes;
import java.util.Arrays;
import java.util.List;

/**
 * The environment variable by which programs find the driver's libraries. One that the image sets is hidden by ours, and cannot be
 * seen from here.
 */
final class LibraryPath {

    static final String NAME = "LD_LIBRARY_PATH";

    /** Where the driver's libraries are in a container. */
    static final List<String> DIRECTORIES = List.of("/usr/lib/nvidia", "/usr/lib/x86_64-linux-gnu");

    private LibraryPath() {}

    /**
     * Sets the variable when it is absent, prepends those of the directories that a literal value lacks, and leaves a value alone that
     * comes from elsewhere.
     */
    static void complete(Draft pod, Container container, Notes notes) {
        var list = container.member("env");
        var variables = pod.at(list);
        // Of two variables of one name, the last one counts.
        for (int index = variables.size() - 1; index >= 0; index--) {
            var variable = variables.path(index);
            if (!variable.path("name").asText().equals(NAME)) {
                continue;
            }
            if (variable.path("valueFrom").isObject()) {
                notes.withheld("%s: %s comes from valueFrom and was left alone".formatted(container.label(), NAME));
            } else {
                var path = list.appendIndex(index).appendProperty("value");
                pod.put(
                        path,
                        JsonNodeFactory.instance.textNode(
                                prepended(variable.path("value").asText(""))));
            }
            return;
        }
        pod.append(list, JsonNodeFactory.instance.objectNode().put("name", NAME).put("value", prepended("")));
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
