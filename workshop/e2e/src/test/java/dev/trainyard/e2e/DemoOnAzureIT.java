package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.testing.WithControlPlane;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's scenarios with pools of scale sets: the scaler's process with Azure's SDK, TLS and tokens, and an emulator of Azure. */
@WithControlPlane // skips the test if the binaries are unavailable
@Tag("slow")
class DemoOnAzureIT {

    @TempDir
    private Path directory;

    @Test
    void playsSpotFallbackBurstAndReclaimThroughTheAzureProvider() throws Exception {
        var run = DemoRun.of(
                directory,
                Map.of(),
                "--cloud",
                "azure",
                "--scenario",
                "spot,fallback,burst,reclaim",
                "--output",
                "json");

        var report = run.report();
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(report.path("cloud").asText()).isEqualTo("azure");
        assertThat(report.path("scenarios"))
                .hasSize(4)
                .allSatisfy(
                        scenario -> assertThat(scenario.path("ok").asBoolean()).isTrue());
        // A text that only a failed Azure operation contains.
        assertThat(DemoRun.events(report.path("scenarios").get(1)))
                .anyMatch(event -> event.contains("AllocationFailed"));
        DemoRun.checkReclaim(report, "condition PreemptionScheduled");
        assertThat(DemoRun.events(report.path("scenarios").get(3)))
                .as("the grace period ends two seconds before the announced time, 30 s after the sign")
                .anyMatch(event -> event.matches("evicted, with 2[0-8] s to end"));
    }
}
