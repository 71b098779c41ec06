package dev.trainyard.runtime.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileConfigurationTest {

    private static final String POOL = """
            kind: TrainingPool
            metadata: {name: spot}
            spec:
              provider: {kwok: {}}
              capacityType: spot
              promise: {allocatable: {nvidia.com/gpu: 1}}
            """;

    @TempDir
    private Path directory;

    @Test
    void theExamplesAreWithoutProblems() {
        var examples = Path.of(System.getProperty("trainyard.root"), "manifests", "examples");
        try (var configuration = FileConfiguration.read(examples)) {
            assertThat(configuration.current().problems()).isEmpty();
            assertThat(configuration.current().tiers()).containsOnlyKeys("cpu", "light-gpu", "heavy-gpu");
            assertThat(configuration.current().tiers().get("light-gpu").pools())
                    .extracting(pool -> pool.name())
                    .containsExactly("light-spot", "light-ondemand");
        }
    }

    @Test
    void takesDocumentsAndListsApartAndPassesOverOtherKinds() throws IOException {
        write("a.yaml", "# nothing but a comment\n---\n" + POOL + "---\nkind: Pod\nmetadata: {name: p}\n");
        write("b.json", """
                {"kind": "List", "items": [{"kind": "TrainingTier", "metadata": {"name": "tier"}, "spec": {"pools": ["spot"]}}]}
                """);
        write("notes.txt", "not: [read");
        try (var configuration = FileConfiguration.read(directory)) {
            assertThat(configuration.current().pools()).containsOnlyKeys("spot");
            assertThat(configuration.current().tiers()).containsOnlyKeys("tier");
            assertThat(configuration.isComplete()).isTrue();
        }
    }

    @Test
    void readsTheSettingsOfTheClusterAndReportsObjectsThatNobodyReads() throws IOException {
        write("a.yaml", """
                kind: TrainingCluster
                metadata: {name: default}
                spec: {cpuPodsOnGpuNodes: Last}
                ---
                kind: TrainingCluster
                metadata: {name: mine}
                spec: {cpuPodsOnGpuNodes: Always}
                """);
        try (var configuration = FileConfiguration.read(directory)) {
            assertThat(configuration.current().cpuPodsOnGpuNodes()).isEqualTo(CpuPodsOnGpuNodes.LAST);
            assertThat(configuration.current().problems())
                    .extracting(Problem::toString)
                    .containsExactly(
                            "TrainingCluster mine: metadata.name: Invalid value: the name must be default: no other TrainingCluster is read (%s, document 2)"
                                    .formatted(directory.resolve("a.yaml")));
        }
    }

    @Test
    void withoutSettingsOfTheClusterTheDefaultsHold() throws IOException {
        write("a.yaml", POOL);
        try (var configuration = FileConfiguration.read(directory)) {
            assertThat(configuration.current().cpuPodsOnGpuNodes()).isEqualTo(CpuPodsOnGpuNodes.NEVER);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "kind: TrainingPool, maximum: 3 | spec.maximum: unknown field; known: capacityType, hourlyPrice, max, min,",
                "kind: TrainingPool, max: many | spec.max: Invalid value: \"string\": spec.max in body must be of type integer: \"string\"",
                "kind: TrainingPool, max: [3] | spec.max: Invalid value: \"array\": spec.max in body must be of type integer: \"array\"",
                "kind: TrainingPool, capacityType: Spot | spec.capacityType: Unsupported value: \"Spot\": supported values: \"on-demand\", \"spot\"",
                "kind: TrainingPool, provider: kwok | spec.provider: Invalid value: \"string\": spec.provider in body must be of type object: \"string\"",
                "kind: TrainingCluster, cpuPodsOnGpuNodes: last | spec.cpuPodsOnGpuNodes: Unsupported value: \"last\": supported values: ",
                "kind: TrainingTier, pols: [spot] | spec.pols: unknown field; known:",
                "kind: TrainingTier, pools: spot | spec.pools: Invalid value: \"string\": spec.pools in body must be of type array: \"string\"",
                "kind: TrainingTier, pools: [{a: b}] | spec.pools[0]: Invalid value: \"object\": spec.pools[0] in body must be of type string: \"object\"",
                "kind: TrainingTier, driver: {mode: hostpath} | spec.driver.mode: Unsupported value: \"hostpath\": supported values: \"hostPath\", \"libraryPath\", \"none\"",
            })
    void anObjectThatCannotBeReadIsAProblemAndTheOthersAreUsed(String mistake, String problem) throws IOException {
        var kind = mistake.replaceAll("kind: (\\w+), .*", "$1");
        var spec = mistake.replaceAll("kind: \\w+, ", "");
        var file = write(
                "pools.yaml",
                POOL + "---\n{kind: %s, metadata: {name: wrong}, spec: {%s}}\n".formatted(kind, spec)
                        + "---\n{kind: TrainingTier, metadata: {name: right}, spec: {pools: [spot]}}\n");

        try (var configuration = FileConfiguration.read(file)) {
            assertThat(configuration.current().problems())
                    .singleElement()
                    .asString()
                    .startsWith(kind + " wrong: " + problem)
                    .endsWith(" (%s, document 2)".formatted(file))
                    .doesNotContain("java", "dev.trainyard.core");
            assertThat(configuration.current().pools()).containsOnlyKeys("spot");
            assertThat(configuration.current().tiers()).containsOnlyKeys("right");
        }
    }

    @Test
    void aTierOfAPoolThatCannotBeReadSaysSo() throws IOException {
        var file = write(
                "pools.yaml",
                "{kind: TrainingPool, metadata: {name: p}, spec: {maximum: 3}}\n---\n"
                        + "{kind: TrainingTier, metadata: {name: t}, spec: {pools: [p]}}\n");
        try (var configuration = FileConfiguration.read(file)) {
            assertThat(configuration.current().problems())
                    .extracting(Problem::toString)
                    .anySatisfy(problem -> assertThat(problem)
                            .contains("TrainingTier t: spec.pools: TrainingPool 'p' cannot be used until it is fixed"));
        }
    }

    @Test
    void namesTheLineOfWhatIsNotYaml() throws IOException {
        var file = write("pools.yaml", "kind: TrainingPool\nmetadata: {name: [}\n");
        assertThatThrownBy(() -> FileConfiguration.read(file))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("pools.yaml, line 2: not YAML");
    }

    @Test
    void aTemplateThatIsNotFilledInIsExplainedWithoutTheReadersInternals() throws IOException {
        var file = write("pools.yaml", "kind: TrainingPool\nmetadata: {name: {{ .Values.name }}}\n");
        assertThatThrownBy(() -> FileConfiguration.read(file))
                .hasMessageContaining("pools.yaml, line 2: not YAML: expected the name of a field")
                .hasMessageNotContaining("org.yaml");
    }

    @Test
    void refusesAFileThatIsMissingOrHoldsNoObjects() throws IOException {
        assertThatThrownBy(() -> FileConfiguration.read(directory.resolve("none.yaml")))
                .hasMessageEndingWith("none.yaml: there is no such file");
        var kindless = write("kindless.yaml", "- 1\n- 2\n");
        assertThatThrownBy(() -> FileConfiguration.read(kindless)).hasMessageContaining("not a Kubernetes object");
    }

    @Test
    void anObjectWithoutNameOrSpecOrThereTwiceIsAProblem() throws IOException {
        write("a.yaml", POOL + "---\n" + POOL);
        write("b.yaml", "kind: TrainingPool\nspec: {}\n");
        write("c.yaml", "kind: TrainingTier\nmetadata: {name: t}\n");
        try (var configuration = FileConfiguration.read(directory)) {
            assertThat(configuration.current().problems())
                    .extracting(problem -> problem.toString().replace(directory + "/", ""))
                    .containsExactly(
                            "TrainingPool spot: another object has the same kind and name (a.yaml, document 2)",
                            "TrainingPool: metadata.name is missing (b.yaml, document 1)",
                            "TrainingTier t: spec is missing (c.yaml, document 1)");
            assertThat(configuration.current().pools()).containsOnlyKeys("spot");
        }
    }

    @Test
    void anObjectOfAnotherKindThatCannotBeReadIsRefusedWithFileAndField() throws IOException {
        var files = ResourceFiles.read(write("a.yaml", "kind: Pod\nmetadata: {name: p, labels: [1]}\n"));
        assertThatThrownBy(() -> files.ofKind(Pod.class))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageEndingWith("a.yaml, document 1: Pod p: metadata.labels: expected fields with values");
    }

    @Test
    void readsOtherKindsOnRequest() throws IOException {
        var files = ResourceFiles.read(write("a.yaml", POOL));
        assertThat(files.ofKind(TrainingPool.class)).hasSize(1);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }
}
