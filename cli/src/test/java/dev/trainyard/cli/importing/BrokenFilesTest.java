package dev.trainyard.cli.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that replace every value of every file in {@code import} by wrong ones, one at a time. Each import must give valid objects, or
 * refuse the file with a message.
 */
class BrokenFilesTest {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "cli", "src", "test", "resources", "import");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> OTHER_VALUES = List.of("null", "\"other: [\"", "-1", "{\"a\": {\"b\": [1]}}");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acs-engine/kubernetes.json",
                "acs-engine-parameters/azuredeploy.parameters.json",
                "aks-engine/apimodel.json",
                "aks-engine-per-pool/apimodel.json",
                "cluster-autoscaler-aws/deployment.yaml",
                "cluster-autoscaler-aws/groups.json",
                "cluster-autoscaler-aws/templates.json",
                "cluster-autoscaler-azure/vmss.json",
                "kops/groups.yaml",
                "kops-mixed/cluster.yaml"
            })
    void whateverIsWrongIsSaidInWords(String name) throws IOException {
        var whole = JSON.createArrayNode();
        SourceFile.read(GOLDEN.resolve(name)).documents().forEach(whole::add);
        int refused = 0;
        int read = 0;
        for (var place : places(whole, "")) {
            for (var value : OTHER_VALUES) {
                var broken = whole.deepCopy();
                put(broken, JsonPointer.compile(place), JSON.readTree(value));
                try {
                    check(run(name, text(broken)), place + " = " + value);
                    read++;
                } catch (IllegalArgumentException e) {
                    assertThat(e.getMessage()).contains("file");
                    refused++;
                } catch (RuntimeException e) {
                    fail("%s with %s = %s".formatted(name, place, value), e);
                }
            }
        }
        assertThat(read)
                .as("files that could be read; %d were refused", refused)
                .isGreaterThan(refused);
    }

    private static Result run(String name, String text) throws IOException {
        var file = new SourceFile("file", text);
        var remarks = new ImportRemarks();
        var cluster = new AzureCluster("s", "g", Optional.of("12345678"), new MissingOptions());
        var folder = name.substring(0, name.indexOf('/'));
        return Result.of(
                switch (folder) {
                    case "acs-engine" ->
                        EngineDefinition.read("file", file.json(), Engine.ACS_ENGINE, cluster, remarks);
                    case "acs-engine-parameters" -> ParametersFile.read("file", file.json(), cluster, remarks);
                    case "aks-engine", "aks-engine-per-pool" ->
                        EngineDefinition.read("file", file.json(), Engine.AKS_ENGINE, cluster, remarks);
                    case "cluster-autoscaler-aws" ->
                        AutoscalerImport.read(
                                List.of(
                                        file,
                                        SourceFile.read(GOLDEN.resolve(folder).resolve("groups.json"))),
                                remarks);
                    case "cluster-autoscaler-azure" -> AutoscalerImport.read(List.of(file), remarks);
                    default -> KopsGroups.read(file, Optional.of("c"), Optional.of("r"), remarks);
                },
                remarks);
    }

    private static void check(Result result, String what) {
        var yaml = ImportedManifests.pools(result, "file") + "---\n" + ImportedManifests.tiers(result, "file");
        var read = ResourceFiles.read("output", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
        assertThat(FileConfiguration.of(read).current().problems()).as(what).isEmpty();
    }

    /** Returns the documents as YAML. JSON is valid YAML. */
    private static String text(ArrayNode documents) throws JsonProcessingException {
        var texts = new ArrayList<String>();
        for (var document : documents) {
            texts.add(JSON.writeValueAsString(document));
        }
        return texts.size() == 1 ? texts.get(0) : "---\n" + String.join("\n---\n", texts);
    }

    private static List<String> places(JsonNode node, String place) {
        var places = new ArrayList<String>();
        if (node instanceof ObjectNode object) {
            object.properties()
                    .forEach(entry -> places.addAll(places(
                            entry.getValue(),
                            place + "/" + entry.getKey().replace("~", "~0").replace("/", "~1"))));
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                places.addAll(places(array.get(i), place + "/" + i));
            }
        }
        if (place.indexOf('/', 1) > 0) { // not a whole document
            places.add(place);
        }
        return places;
    }

    private static void put(JsonNode root, JsonPointer place, JsonNode value) {
        var parent = root.at(place.head());
        if (parent instanceof ObjectNode object) {
            object.set(place.last().getMatchingProperty(), value);
        } else {
            ((ArrayNode) parent).set(place.last().getMatchingIndex(), value);
        }
    }
}
