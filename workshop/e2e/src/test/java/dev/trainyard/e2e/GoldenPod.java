package dev.trainyard.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.runtime.configuration.ResourceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A golden pair from the webhook's tests: a pod before and after the webhook. The fields that the files omit are added.
 *
 * @param poolsAndTiers the pair's own pools and tiers; empty if the pair uses the shared pools and tiers
 */
record GoldenPod(
        String name,
        Optional<ObjectNode> namespace,
        List<ObjectNode> poolsAndTiers,
        ObjectNode before,
        ObjectNode after,
        JsonNode outcome) {
    static final Path DIRECTORY =
            Path.of(System.getProperty("trainyard.root"), "webhook", "src", "test", "resources", "golden");

    /**
     * The name of an invalid tier. Files may contain such a tier, and the webhook has a message for it. The API server does not store it.
     */
    static final String WRONG_TIER = "wrong";

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final YAMLMapper YAML = new YAMLMapper();

    /** Returns all pairs by name. */
    static Stream<GoldenPod> all() throws IOException {
        var golden = new ArrayList<GoldenPod>();
        try (var entries = Files.list(DIRECTORY)) {
            for (var directory : entries.filter(Files::isDirectory).sorted().toList()) {
                golden.add(read(directory.getFileName().toString()));
            }
        }
        return golden.stream();
    }

    private static GoldenPod read(String name) throws IOException {
        var directory = DIRECTORY.resolve(name);
        var documents = ResourceFiles.read(directory.resolve("before.yaml")).documents().stream()
                .map(document -> (ObjectNode) document.object())
                .toList();
        var after = directory.resolve("after.yaml");
        var golden = new GoldenPod(
                name,
                ofKind(documents, "Namespace"),
                documents.stream()
                        .filter(object -> object.path("kind").asText().startsWith("Training"))
                        .toList(),
                complete(ofKind(documents, "Pod").orElseThrow()),
                Files.exists(after) ? complete((ObjectNode) YAML.readTree(after.toFile())) : JSON.createObjectNode(),
                YAML.readTree(directory.resolve("outcome.yaml").toFile()));
        return golden.namespace().isPresent() ? golden.inNamespaceOfItsOwn() : golden;
    }

    /**
     * Returns the pair in a new namespace, because several pairs use the same namespace name. The new name is equally long, because
     * messages are truncated to a length.
     */
    private GoldenPod inNamespaceOfItsOwn() throws IOException {
        var named = namespace.orElseThrow().at("/metadata/name").asText();
        var own = "n" + ("%0" + (named.length() - 1) + "d").formatted(NUMBER.incrementAndGet());
        return new GoldenPod(
                name,
                Optional.of(renamed(namespace.get(), named, own)),
                poolsAndTiers,
                renamed(before, named, own),
                renamed(after, named, own),
                renamed(outcome, named, own));
    }

    private static ObjectNode renamed(JsonNode object, String from, String to) throws IOException {
        return (ObjectNode) JSON.readTree(object.toString().replace(from, to));
    }

    private static Optional<ObjectNode> ofKind(List<ObjectNode> documents, String kind) {
        return documents.stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .findFirst();
    }

    /**
     * Adds images, and the fields that Pod Security level restricted requires. Turns the ServiceAccount token off, because the name of its
     * volume is random.
     */
    private static ObjectNode complete(ObjectNode pod) throws IOException {
        var spec = (ObjectNode) pod.path("spec");
        putIfAbsent(spec, "automountServiceAccountToken", "false");
        putIfAbsent(spec, "securityContext", "{runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}");
        for (var containers : List.of("containers", "initContainers")) {
            if (spec.path(containers) instanceof ArrayNode list) {
                for (var item : list) {
                    var container = (ObjectNode) item;
                    putIfAbsent(container, "image", "train");
                    putIfAbsent(
                            container,
                            "securityContext",
                            "{allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}");
                }
            }
        }
        return pod;
    }

    private static void putIfAbsent(ObjectNode object, String member, String yaml) throws IOException {
        if (!object.has(member)) {
            object.set(member, YAML.readTree(yaml));
        }
    }

    /** Returns the name, for the names of tests. */
    @Override
    public String toString() {
        return name;
    }

    boolean isRefused() {
        return outcome.path("decision").asText().equals("refused");
    }

    /** Returns the text of the refusal. */
    String message() {
        return outcome.path("message")
                .asText()
                .replaceAll(
                        "TrainingTier '%s' is invalid \\(.*\\);".formatted(WRONG_TIER),
                        "there is no TrainingTier '%s';".formatted(WRONG_TIER));
    }

    List<String> warnings() {
        var warnings = new ArrayList<String>();
        outcome.path("warnings").forEach(warning -> warnings.add(warning.asText()));
        return warnings;
    }
}
