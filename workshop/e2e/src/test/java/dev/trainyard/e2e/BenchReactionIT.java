package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.testing.WithControlPlane;
import java.nio.file.Path;
import java.time.Duration;
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
        var report = BenchRun.of(directory, Duration.ofMinutes(3), "reaction", "--samples=4");

        assertThat(report.at("/samples").asInt()).isEqualTo(4);
        assertThat(report.at("/batchWindowMillis").asInt()).isEqualTo(200);
        assertThat(report.at("/reaction/p50").asDouble()).isPositive();
        assertThat(report.at("/floor/p50").asDouble()).isPositive();
        assertThat(report.at("/notice/request/p50").asDouble()).isPositive();
        assertThat(report.at("/notice/eviction/p50").asDouble()).isPositive();
        assertThat(report.at("/targets")).hasSize(2);
    }
}
