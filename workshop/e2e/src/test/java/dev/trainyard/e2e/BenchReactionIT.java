package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.local.testing.WithControlPlane;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code trainyard bench reaction} measures and leaves no processes or files behind. Its figures for four pods are not meaningful. */
@WithControlPlane // skips the test if the binaries are unavailable
@Tag("slow")
class BenchReactionIT {

    @TempDir
    private Path directory;

    @Test
    void measuresTheScalerBesideABareWatch() throws Exception {
        var out = directory.resolve("out");
        var err = directory.resolve("err");
        var temporary = Files.createDirectory(directory.resolve("tmp"));
        var process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.trainyard.workshop.Workshop",
                        "bench",
                        "reaction",
                        "--samples=4",
                        "--output=json"))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(err)).isZero();

            var report = new ObjectMapper().readTree(out.toFile());
            assertThat(report.at("/samples").asInt()).isEqualTo(4);
            assertThat(report.at("/batchWindowMillis").asInt()).isEqualTo(200);
            assertThat(report.at("/reaction/p50").asDouble()).isPositive();
            assertThat(report.at("/floor/p50").asDouble()).isPositive();
            assertThat(report.at("/targets")).hasSize(1);
            assertThat(temporary).isEmptyDirectory();
        } finally {
            process.destroyForcibly();
        }
    }
}
