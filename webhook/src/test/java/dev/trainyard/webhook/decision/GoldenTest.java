package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.pod.PodRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Golden tests. Each directory of {@code golden} holds a pod before admission ({@code before.yaml}), after admission ({@code after.yaml}),
 * and the webhook's messages and operations ({@code outcome.yaml}). {@code before.yaml} may also hold the Namespace, and pools and tiers if
 * they differ from {@link Samples#catalogue}. Rewrite the files with -Dtrainyard.update=true.
 */
class GoldenTest {

    private static final ObjectMapper YAML = new YAMLMapper(new YAMLFactory()
                    .disable(Feature.WRITE_DOC_START_MARKER)
                    .disable(Feature.SPLIT_LINES)
                    .enable(Feature.MINIMIZE_QUOTES)
                    .enable(Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                    .enable(Feature.INDENT_ARRAYS_WITH_INDICATOR))
            .enable(SerializationFeature.INDENT_OUTPUT);

    static List<String> cases() throws IOException {
        try (var entries = Files.list(Samples.GOLDEN)) {
            return entries.filter(Files::isDirectory)
                    .map(directory -> directory.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isAdmittedAs(String name) throws IOException {
        var directory = Samples.GOLDEN.resolve(name);
        var before = ResourceFiles.read(directory.resolve("before.yaml"));
        var request = request(before);
        var decision = Samples.DECIDER.decide(request, catalogue(before));

        compare(directory.resolve("outcome.yaml"), outcome(decision));
        compare(directory.resolve("after.yaml"), after(request, decision));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isLeftAloneTheSecondTime(String name) throws IOException {
        var before = ResourceFiles.read(Samples.GOLDEN.resolve(name).resolve("before.yaml"));
        var request = request(before);
        if (Samples.DECIDER.decide(request, catalogue(before)) instanceof Completed completed) {
            var admitted = (ObjectNode) Samples.apply(completed.patch(), request.pod());
            var again = Samples.DECIDER.decide(
                    new PodRequest(admitted, request.namespace(), request.facts()), catalogue(before));

            assertThat(again.word()).isEqualTo("already-complete");
        }
    }

    private static Catalogue catalogue(ResourceFiles before) {
        var own = FileConfiguration.of(before).current();
        return own.tiers().isEmpty() ? Samples.catalogue() : own;
    }

    private static PodRequest request(ResourceFiles files) {
        var pod = files.documents().stream()
                .map(ResourceFiles.Document::object)
                .filter(object -> object.path("kind").asText().equals("Pod"))
                .findFirst()
                .orElseThrow();
        var namespace = pod.path("metadata").path("namespace").asText("default");
        return new PodRequest(
                (ObjectNode) pod,
                namespace,
                FileNamespaces.of(files).facts(namespace).orElseThrow());
    }

    private static ObjectNode outcome(Decision decision) {
        var outcome = new ObjectMapper().createObjectNode().put("decision", decision.word());
        var warnings = List.<String>of();
        if (decision instanceof Completed completed) {
            completed.tier().ifPresent(tier -> outcome.put("tier", tier));
            warnings = completed.warnings();
        } else if (decision instanceof Untouched untouched) {
            outcome.put("reason", untouched.reason());
            warnings = untouched.warnings();
        } else if (decision instanceof Refused refused) {
            outcome.put("message", refused.message());
        } else if (decision instanceof Malformed malformed) {
            outcome.put("problem", malformed.problem());
        }
        if (!warnings.isEmpty()) {
            warnings.forEach(outcome.putArray("warnings")::add);
        }
        if (decision instanceof Completed completed) {
            // Only the paths: the values are in after.yaml.
            var operations = outcome.putArray("patch");
            completed
                    .patch()
                    .forEach(operation -> operations.add(operation.path("op").asText() + " "
                            + operation.path("path").asText()));
        }
        return outcome;
    }

    private static JsonNode after(PodRequest request, Decision decision) {
        if (decision instanceof Refused) {
            return new ObjectMapper().createObjectNode();
        }
        return decision instanceof Completed completed
                ? Samples.apply(completed.patch(), request.pod())
                : request.pod();
    }

    private static void compare(Path file, JsonNode actual) throws IOException {
        if (actual.isEmpty()) {
            assertThat(file).doesNotExist();
            return;
        }
        var text = YAML.writeValueAsString(actual);
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(file, text);
        }
        assertThat(file).hasContent(text);
    }
}
