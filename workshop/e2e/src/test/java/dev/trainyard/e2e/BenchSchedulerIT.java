package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.local.testing.WithControlPlane;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code trainyard bench scheduler} measures and leaves no processes or files behind. Its figures for 40 pods are not meaningful. */
@WithControlPlane // skips the test if the binaries are unavailable
@Tag("slow")
class BenchSchedulerIT {

    @TempDir
    private Path directory;

    @Test
    void measuresASchedulerWithAndOneWithoutTheExtender() throws Exception {
        var pair = measured("extender");

        assertThat(pair.at("/with/calls/filter/count").asInt()).isGreaterThanOrEqualTo(40);
        assertThat(pair.at("/without/calls").isNull()).isTrue();
    }

    @Test
    void measuresTheProfileWithoutTheExtender() throws Exception {
        var pair = measured("plugins");

        assertThat(pair.at("/with/calls").isNull()).isTrue();
        assertThat(pair.at("/without/calls").isNull()).isTrue();
    }

    private JsonNode measured(String profile) throws Exception {
        var report = BenchRun.of(
                directory,
                Duration.ofMinutes(3),
                "scheduler",
                "--profile=" + profile,
                "--quick",
                "--nodes=20",
                "--pods=40");

        assertThat(report.at("/nodes").asInt()).isEqualTo(20);
        assertThat(report.at("/comparisons")).hasSize(1);
        var pair = report.at("/comparisons/0/pairs/0");
        assertThat(pair.at("/ratio").asDouble()).isPositive();
        assertThat(pair.at("/with/podsPerSecond").asDouble()).isPositive();
        assertThat(pair.at("/without/podsPerSecond").asDouble()).isPositive();
        assertThat(report.at("/targets")).hasSize(1);
        return pair;
    }
}
