package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.testing.WithControlPlane;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's scenarios with pools of Auto Scaling groups: the scaler's process with AWS's SDK and TLS, and an emulator of AWS. */
@WithControlPlane // skips the test if the binaries are unavailable
@Tag("slow")
class DemoOnAwsIT {

    @TempDir
    private Path directory;

    @Test
    void playsSpotFallbackBurstAndReclaimThroughTheAwsProvider() throws Exception {
        var run = DemoRun.of(
                directory, Map.of(), "--cloud", "aws", "--scenario", "spot,fallback,burst,reclaim", "--output", "json");

        var report = run.report();
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(report.path("cloud").asText()).isEqualTo("aws");
        assertThat(report.path("scenarios"))
                .hasSize(4)
                .allSatisfy(
                        scenario -> assertThat(scenario.path("ok").asBoolean()).isTrue());
        // A text that only a scaling activity of AWS contains.
        assertThat(DemoRun.events(report.path("scenarios").get(1)))
                .anyMatch(event -> event.contains("InsufficientInstanceCapacity"));
        DemoRun.checkReclaim(report, "annotation trainyard.dev/aws-spot-interruption");
    }
}
