package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.testing.WithControlPlane;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code trainyard bench scale} measures and leaves no processes or files behind. Its figures for 120 pods are not meaningful. */
@WithControlPlane // skips the test if the binaries are unavailable
@Tag("slow")
class BenchScaleIT {

    @TempDir
    private Path directory;

    @Test
    void measuresAllComponentsWhilePodsAndNodesComeAndGo() throws Exception {
        var report = BenchRun.of(
                directory, Duration.ofMinutes(6), "scale", "--quick", "--nodes=20", "--pods=120", "--minutes=0.7");

        assertThat(report.at("/fixedNodes").asInt()).isEqualTo(18);
        assertThat(report.at("/servers/reviews/count").asInt()).isGreaterThanOrEqualTo(120);
        assertThat(report.at("/servers/choices/count").asInt()).isGreaterThanOrEqualTo(120);
        assertThat(report.at("/servers/rounds/count").asInt()).isPositive();
        assertThat(report.at("/components")).hasSize(3);
        for (var component : report.at("/components")) {
            assertThat(component.at("/samples/0/heapMebibytes").asDouble()).isPositive();
            assertThat(component.at("/samples/0/residentMebibytes").asDouble()).isPositive();
            assertThat(component.at("/lagMillis/p99").asDouble()).isBetween(0.0, 29_999.0);
            assertThat(component.at("/cpuMillisPerPod").asDouble()).isPositive();
        }
        assertThat(report.at("/components/2/name").asText()).isEqualTo("scaler");
        assertThat(report.at("/components/2/callsPerPod").asDouble()).isPositive();
        assertThat(report.at("/components/2/cloudCallsPerPod").asDouble()).isPositive();
    }
}
