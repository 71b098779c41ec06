package dev.trainyard.workshop.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that the chart's copies of files from the kustomizations are equal to them. A chart can only contain its own files. Rewrite the
 * copies with {@code -Dtrainyard.update=true}.
 */
class ChartFilesTest {

    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests");
    private static final Path COPIES = MANIFESTS.resolve("chart/files");
    private static final List<Path> ORIGINALS =
            List.of(MANIFESTS.resolve("base"), MANIFESTS.resolve("components"), MANIFESTS.resolve("overlays"));

    @Test
    void areCopies() throws IOException {
        try (var files = Files.walk(COPIES)) {
            for (var copy : files.filter(Files::isRegularFile).toList()) {
                var name = COPIES.relativize(copy);
                var originals = ORIGINALS.stream()
                        .map(directory -> directory.resolve(name))
                        .filter(Files::exists)
                        .toList();
                assertThat(originals).as("where %s is from", name).hasSize(1);
                var original = Files.readString(originals.get(0));
                if (Boolean.getBoolean("trainyard.update")) {
                    Files.writeString(copy, original);
                }
                assertThat(Files.readString(copy)).as("%s", name).isEqualTo(original);
            }
        }
    }
}
