package dev.trainyard.cloud.azure;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** The shipped role definitions. */
final class Roles {

    private Roles() {}

    static Set<String> actions(String file) throws IOException {
        var path = Path.of(System.getProperty("trainyard.root", ".."), "manifests", "azure", file);
        var actions = new TreeSet<String>();
        new ObjectMapper().readTree(path.toFile()).path("Actions").forEach(action -> actions.add(action.asText()));
        return actions;
    }
}
