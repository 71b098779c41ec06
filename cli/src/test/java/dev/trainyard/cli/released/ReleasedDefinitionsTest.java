package dev.trainyard.cli.released;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that pools and tiers of the last release are valid with this release's definitions. The directory {@code released} holds the
 * definitions of the last release. Rewrite it for each release with {@code -Dtrainyard.release=true}, before the tag.
 */
class ReleasedDefinitionsTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path RELEASED = ROOT.resolve("cli/src/test/resources/released");
    private static final Path CURRENT = ROOT.resolve("manifests/base/crds");
    private static final String SPEC = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    private static final YAMLMapper YAML = new YAMLMapper();

    /** The intended changes, each with its reason; empty after a release. */
    private static final Set<String> MEANT = Set.of(
            // The rules of a field that no stored tier has.
            "v1alpha1.spec is held to !has(self.equallyPreferred) || self.equallyPreferred.all(group, "
                    + "group.all(name, name in self.pools) && group.map(name, self.pools.indexOf(name)).max() - "
                    + "group.map(name, self.pools.indexOf(name)).min() == group.size() - 1)",
            "v1alpha1.spec is held to !has(self.equallyPreferred) || self.equallyPreferred.all(group, group.all(name, "
                    + "self.equallyPreferred.map(other, other.filter(another, another == name).size()).sum() == 1))");

    @ParameterizedTest
    @ValueSource(strings = {"trainingpools.yaml", "trainingtiers.yaml"})
    void takeNothingAway(String name) throws IOException {
        if (Boolean.getBoolean("trainyard.release")) {
            Files.writeString(RELEASED.resolve(name), Files.readString(CURRENT.resolve(name)));
        }
        var changes = SchemaChanges.between(read(RELEASED.resolve(name)), read(CURRENT.resolve(name)));

        assertThat(changes).allMatch(MEANT::contains);
    }

    /** Each row is a change to the definition of tiers, in the terms of JSON Patch, with the expected message. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "remove  | /properties                       | fallbackAfter            |                          | v1alpha1.spec.fallbackAfter is gone",
                "remove  | /properties/driver/properties     | root                     |                          | v1alpha1.spec.driver.root is gone",
                "replace | /properties/pools                 | type                     | \"string\"               | v1alpha1.spec.pools type is \"string\"",
                "replace | /properties/pools                 | maxItems                 | 8                        | v1alpha1.spec.pools maxItems is 8",
                "replace | /properties/pools                 | minItems                 | 2                        | v1alpha1.spec.pools minItems is 2",
                "replace | /properties/pools/items           | maxLength                | 62                       | v1alpha1.spec.pools[] maxLength is 62",
                "replace | /properties/driver/properties/root | pattern                  | \"^/usr\"                | v1alpha1.spec.driver.root pattern is \"^/usr\"",
                "add     | /properties/fallbackAfter         | maxLength                | 9                        | v1alpha1.spec.fallbackAfter maxLength is 9",
                "replace | /properties/driver/properties/mode | enum                     | [\"none\",\"libraryPath\"] | v1alpha1.spec.driver.mode hostPath is refused",
                "replace |                                   | required                 | [\"pools\",\"driver\"]   | v1alpha1.spec.driver is required",
                "replace |                                   | x-kubernetes-validations | [{\"rule\": \"has(self.driver)\"}] | v1alpha1.spec is held to has(self.driver)",
            })
    void whatTakesSomethingAwayIsFound(String operation, String parent, String name, String value, String line)
            throws IOException {
        assertThat(SchemaChanges.between(tiers(), changed(operation, parent, name, value)))
                .containsExactly(line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "add     | /properties                       | hint                     | {\"type\": \"string\", \"maxLength\": 3}",
                "remove  | /properties/pools                 | maxItems                 | ",
                "replace | /properties/pools                 | maxItems                 | 32",
                "remove  | /properties/driver/properties/root | pattern                  | ",
                "replace | /properties/driver/properties/mode | enum                     | [\"none\",\"libraryPath\",\"hostPath\",\"cdi\"]",
                "replace |                                   | required                 | []",
                "replace |                                   | required                 | [\"pools\",\"fallbackAfter\"]",
                "replace | /properties/fallbackAfter         | default                  | \"5m\"",
                "remove  |                                   | x-kubernetes-validations | ",
            })
    void whatTakesNothingAwayIsNot(String operation, String parent, String name, String value) throws IOException {
        assertThat(SchemaChanges.between(tiers(), changed(operation, parent, name, value)))
                .isEmpty();
    }

    @Test
    void versionsNamesAndTheStatusStay() throws IOException {
        var another = (ObjectNode) tiers();
        ((ObjectNode) another.at("/spec")).put("scope", "Namespaced");
        ((ArrayNode) another.at("/spec/names/shortNames")).remove(0);
        var version = (ObjectNode) another.at("/spec/versions/0");
        version.remove("subresources");
        assertThat(SchemaChanges.between(tiers(), another))
                .containsExactly(
                        "/spec/scope is another",
                        "/spec/names/shortNames ttier is gone",
                        "v1alpha1 has no status of its own any more");
        version.put("served", false);
        assertThat(SchemaChanges.between(tiers(), another)).contains("v1alpha1 is not served any more");
    }

    private static JsonNode changed(String operation, @Nullable String parent, String name, String value)
            throws IOException {
        var definition = tiers();
        var changed = (ObjectNode) definition.at(SPEC + Objects.requireNonNullElse(parent, ""));
        if (operation.equals("remove")) {
            changed.remove(name);
        } else {
            changed.set(name, YAML.readTree(value));
        }
        return definition;
    }

    private static JsonNode tiers() throws IOException {
        return read(CURRENT.resolve("trainingtiers.yaml"));
    }

    private static JsonNode read(Path file) throws IOException {
        return YAML.readTree(file.toFile());
    }
}
