package dev.trainyard.runtime.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.CustomResource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the definitions in {@code manifests/base/crds} match the Java records. -Dtrainyard.update=true rewrites them. */
class CustomResourceDefinitionsTest {

    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests", "base", "crds");

    private static final YAMLMapper YAML = new YAMLMapper(new YAMLFactory()
            .disable(Feature.WRITE_DOC_START_MARKER)
            .disable(Feature.SPLIT_LINES)
            .enable(Feature.MINIMIZE_QUOTES)
            .enable(Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .enable(Feature.INDENT_ARRAYS_WITH_INDICATOR));

    @TempDir
    private Path generated;

    @ParameterizedTest
    @ValueSource(classes = {TrainingPool.class, TrainingTier.class, TrainingCluster.class})
    void manifestEqualsTheRecords(Class<? extends CustomResource<?, ?>> resource) throws IOException {
        var definition = generate(resource);
        var manifest = MANIFESTS.resolve(definition.getSpec().getNames().getPlural() + ".yaml");
        var text =
                "# Generated from %1$sSpec.java and %1$s.java: change these, then run `mvn verify -pl runtime -am -Dtrainyard.update=true`.\n%2$s"
                        .formatted(resource.getSimpleName(), YAML.writeValueAsString(definition));
        if (Boolean.getBoolean("trainyard.update")) {
            Files.createDirectories(MANIFESTS);
            Files.writeString(manifest, text);
        }
        assertThat(manifest).as("see its first line").hasContent(text);
    }

    private CustomResourceDefinition generate(Class<? extends CustomResource<?, ?>> resource) throws IOException {
        new CRDGenerator()
                .customResourceClasses(List.of(resource))
                .forCRDVersions("v1")
                .inOutputDir(generated.toFile())
                .generate();
        var name = CustomResource.getCRDName(resource);
        var definition = YAML.readValue(generated.resolve(name + "-v1.yml").toFile(), CustomResourceDefinition.class);
        var version = definition.getSpec().getVersions().get(0);
        // The generator sorts columns by path, but users see them in this order, so the order of the annotations is
        // restored.
        version.setAdditionalPrinterColumns(Arrays.stream(resource.getAnnotationsByType(AdditionalPrinterColumn.class))
                .map(column -> new CustomResourceColumnDefinitionBuilder()
                        .withName(column.name())
                        .withJsonPath(column.jsonPath())
                        .withType(column.type().name().toLowerCase(Locale.ROOT))
                        .build())
                .toList());
        var schema = version.getSchema().getOpenAPIV3Schema();
        schema.setRequired(List.of("spec"));
        var status = schema.getProperties().get("status");
        if (status != null && status.getProperties().containsKey("conditions")) {
            var conditions = status.getProperties().get("conditions");
            conditions.setXKubernetesListType("map");
            conditions.setXKubernetesListMapKeys(List.of("type"));
            conditions.getItems().getSchema().setRequired(List.of("type", "status"));
        }
        limitAmounts(schema.getProperties().get("spec").getProperties().get("promise"));
        limitGroups(schema.getProperties().get("spec").getProperties().get("equallyPreferred"));
        keepDefaultsOfStringsText(schema);
        definition.getSpec().getNames().setCategories(List.of("trainyard"));
        return definition;
    }

    /** Adds the limits of amounts, because the generator ignores annotations on a map's values. */
    private static void limitAmounts(@Nullable JSONSchemaProps promise) {
        if (promise != null) {
            var amount = promise.getProperties()
                    .get("allocatable")
                    .getAdditionalProperties()
                    .getSchema();
            amount.setMaxLength(32L);
            amount.setPattern(PromiseSpec.AMOUNT);
        }
    }

    /** Adds the limits of groups, because the generator ignores annotations on a list in a list. */
    private static void limitGroups(@Nullable JSONSchemaProps groups) {
        if (groups != null) {
            var group = groups.getItems().getSchema();
            group.setMinItems(2L);
            group.setMaxItems(16L);
            var name = group.getItems().getSchema();
            name.setMinLength(1L);
            name.setMaxLength(63L);
        }
    }

    /** Restores defaults as text, because the generator reads "0.5" as a number for every type of field. */
    private static void keepDefaultsOfStringsText(JSONSchemaProps schema) {
        if ("string".equals(schema.getType()) && schema.getDefault() != null) {
            schema.setDefault(TextNode.valueOf(schema.getDefault().asText()));
        }
        schema.getProperties().values().forEach(CustomResourceDefinitionsTest::keepDefaultsOfStringsText);
    }
}
