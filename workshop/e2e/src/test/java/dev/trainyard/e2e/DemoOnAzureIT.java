package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.testing.WithControlPlane;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's stories with pools of scale sets: the scaler's process, Azure's SDK in it, TLS, tokens, and an emulator of Azure. */
@WithControlPlane // for its rule on machines that can have no control plane
@Tag("slow")
class DemoOnAzureIT {

    @TempDir
    private Path directory;

    @Test
    void playsSpotFallbackAndBurstThroughTheAzureProvider() throws Exception {
        var run = DemoRun.of(
                directory, Map.of(), "--cloud", "azure", "--scenario", "spot,fallback,burst", "--output", "json");

        var report = run.report();
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(report.path("cloud").asText()).isEqualTo("azure");
        assertThat(report.path("scenarios"))
                .hasSize(3)
                .allSatisfy(
                        scenario -> assertThat(scenario.path("ok").asBoolean()).isTrue());
        // Words of an operation that failed, which nobody else knows.
        assertThat(DemoRun.events(report.path("scenarios").get(1)))
                .anyMatch(event -> event.contains("AllocationFailed"));
    }
}
