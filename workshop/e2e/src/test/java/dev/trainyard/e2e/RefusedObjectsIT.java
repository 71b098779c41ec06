package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.local.Definitions;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.resource.Definition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** A real API server refuses the same pools, tiers and settings as the file reader, for the same fields and with the same messages. */
@WithControlPlane
class RefusedObjectsIT {

    private static final Path REFUSED = Path.of(
            System.getProperty("trainyard.root"), "runtime", "src", "test", "resources", "refused-objects.yaml");
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void filesAndTheApiServerAgree(KubernetesClient client) throws Exception {
        for (var definition : List.of("trainingclusters", "trainingpools", "trainingtiers")) {
            TestSchedulers.apply(client, "base/crds/" + definition + ".yaml");
            Definitions.awaitEstablished(client, definition + "." + Names.GROUP);
        }
        var agreement = new SoftAssertions();
        for (var object : objects()) {
            var refusals = refusals(client, object);
            var problems = Definition.ofKind(object.path("kind").asText())
                    .orElseThrow()
                    .problems(object);
            agreement
                    .assertThat(problems)
                    .as(object.toString())
                    .isNotEmpty()
                    .allSatisfy(problem ->
                            assertThat(refusals).anyMatch(refusal -> refusal.endsWith(inTheApiServersWords(problem))));
        }
        agreement.assertAll();
    }

    private static List<JsonNode> objects() throws Exception {
        var objects = new ArrayList<JsonNode>();
        try (var documents = new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(REFUSED.toFile())) {
            documents.forEachRemaining(document -> objects.add(document.path("object")));
        }
        assertThat(objects).hasSizeGreaterThan(40);
        return objects;
    }

    private static List<String> refusals(KubernetesClient client, JsonNode object) {
        var refusal = catchThrowableOfType(
                KubernetesClientException.class,
                () -> client.resource(JSON.convertValue(object, GenericKubernetesResource.class))
                        .dryRun()
                        .fieldValidation(FieldValidateable.Validation.STRICT)
                        .create());
        if (refusal == null) {
            return List.of("accepted");
        }
        var details = refusal.getStatus().getDetails();
        return details == null || details.getCauses().isEmpty()
                ? List.of(refusal.getStatus().getMessage())
                : details.getCauses().stream()
                        .map(cause -> cause.getField() + ": " + cause.getMessage())
                        .toList();
    }

    /** Adapts a message: the API server does not list the known fields, and gives the rule about names without a field. */
    private static String inTheApiServersWords(String problem) {
        return problem.replaceFirst("^(.*): unknown field; known: .*", "unknown field \"$1\"")
                .replaceFirst("^metadata.name(: Invalid value: the name must)", "$1");
    }
}
