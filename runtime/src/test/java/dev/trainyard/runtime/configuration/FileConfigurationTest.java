package dev.trainyard.runtime.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.runtime.resource.TrainingPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void namesFileDocumentObjectAndFieldOfAMistake() throws IOException {
        var file = write("pools.yaml", "---\n" + POOL + "  maximum: 3\n");
        assertThatThrownBy(() -> FileConfiguration.read(file))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("pools.yaml, document 1: TrainingPool spot: spec.maximum:");
    }

    @Test
    void namesTheLineOfWhatIsNotYaml() throws IOException {
        var file = write("pools.yaml", "kind: TrainingPool\nmetadata: {name: [}\n");
        assertThatThrownBy(() -> FileConfiguration.read(file))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("pools.yaml, line 2: not YAML");
    }

    @Test
    void refusesWhatIsMissingOrThereTwice() throws IOException {
        assertThatThrownBy(() -> FileConfiguration.read(directory.resolve("none.yaml")))
                .hasMessageEndingWith("none.yaml: there is no such file");
        var nameless = write("nameless.yaml", "kind: TrainingPool\nspec: {}\n");
        assertThatThrownBy(() -> FileConfiguration.read(nameless))
                .hasMessageContaining("TrainingPool has no metadata.name");
        var specless = write("specless.yaml", "kind: TrainingTier\nmetadata: {name: t}\n");
        assertThatThrownBy(() -> FileConfiguration.read(specless)).hasMessageContaining("TrainingTier t has no spec");
        var twice = write("twice.yaml", POOL + "---\n" + POOL);
        assertThatThrownBy(() -> FileConfiguration.read(twice))
                .hasMessageContaining("twice.yaml, document 2: there is a TrainingPool spot already");
        var kindless = write("kindless.yaml", "- 1\n- 2\n");
        assertThatThrownBy(() -> FileConfiguration.read(kindless)).hasMessageContaining("not a Kubernetes object");
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
