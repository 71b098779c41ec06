package dev.trainyard.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.workshop.cluster.Kubectl;
import java.util.Set;
import java.util.TreeSet;

/** Traces of Trainyard in a cluster: objects with Trainyard's name, and labels, annotations and finalizers on other objects. */
final class InstalledTraces {

    private static final ObjectMapper JSON = new ObjectMapper();

    private InstalledTraces() {}

    /** Returns the traces in all kinds of objects except Events, which expire within the hour. */
    static Set<String> in(Kubectl kubectl) {
        var traces = new TreeSet<String>();
        var kinds = kubectl.succeed("api-resources", "--verbs=list", "--output=name");
        for (var kind : kinds.lines().filter(name -> !name.startsWith("events")).toList()) {
            // A kind whose definition was removed is listed for another moment, but cannot be read.
            var found = kubectl.run("get", kind, "--all-namespaces", "--output=json");
            if (found.succeeded()) {
                objects(found.output()).forEach(object -> find(kind, object.path("metadata"), traces));
            } else {
                traces.add("unreadable: " + kind);
            }
        }
        return traces;
    }

    private static void find(String kind, JsonNode metadata, Set<String> traces) {
        var name = "%s %s/%s"
                .formatted(
                        kind,
                        metadata.path("namespace").asText(),
                        metadata.path("name").asText());
        if (name.contains("trainyard")) {
            traces.add(name);
        }
        for (var field : new String[] {"labels", "annotations"}) {
            metadata.path(field).properties().stream()
                    .filter(mark -> mark.getKey().contains("trainyard"))
                    .forEach(mark -> traces.add("%s: %s".formatted(name, mark.getKey())));
        }
        metadata.path("finalizers").forEach(finalizer -> {
            if (finalizer.asText().contains("trainyard")) {
                traces.add("%s: %s".formatted(name, finalizer.asText()));
            }
        });
    }

    /** Skips warnings of deprecated kinds before the JSON. */
    private static JsonNode objects(String output) {
        var json = output.substring(Math.max(output.indexOf("{\n"), 0));
        try {
            return JSON.readTree(json).path("items");
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }
}
