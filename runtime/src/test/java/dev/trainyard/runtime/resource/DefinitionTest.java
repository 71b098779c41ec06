package dev.trainyard.runtime.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the checks of objects. The invalid ones are in {@code refused-objects.yaml}, which a test of {@code e2e} also sends to the API server. */
class DefinitionTest {

    private static final Path REFUSED = Path.of(
            System.getProperty("trainyard.root"), "runtime", "src", "test", "resources", "refused-objects.yaml");

    static List<JsonNode> refused() throws IOException {
        try (var documents =
                new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(Files.readString(REFUSED))) {
            return documents.readAll();
        }
    }

    @ParameterizedTest
    @MethodSource("refused")
    void saysWhatTheApiServerWouldRefuse(JsonNode refused) {
        var object = refused.path("object");
        var expected = new ArrayList<String>();
        refused.path("problems").forEach(problem -> expected.add(problem.asText()));

        assertThat(Definition.ofKind(object.path("kind").asText()).orElseThrow().problems(object))
                .containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TrainingPool", "TrainingTier"})
    void everyRuleOfTheSchemaIsKnown(String kind) {
        assertThat(Definition.ofKind(kind).orElseThrow().rules()).isNotEmpty().allMatch(DefinitionRules::knows);
    }
}
