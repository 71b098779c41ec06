package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code trainyard demo} without a control plane: the cache is empty, and downloads and compilation are off. */
class DemoWithoutControlPlaneIT {

    @TempDir
    private Path directory;

    @Test
    void playsAllSixScenariosSimulatedAndSaysSoAndWhyInJson() throws Exception {
        var run = demo("--output", "json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        var report = run.report();
        assertThat(report.path("kubernetes").asText()).isEqualTo("simulated");
        assertThat(report.path("ok").asBoolean()).isTrue();
        assertThat(report.path("scenarios").findValuesAsText("name"))
                .containsExactly("spot", "fallback", "burst", "tiers", "reclaim", "gangs");
        DemoRun.checkReclaim(report, "taint aws-node-termination-handler/spot-itn");
        DemoRun.checkGangs(report);
        assertThat(run.err()).satisfies(DemoWithoutControlPlaneIT::saysWhy);
    }

    @Test
    void saysSoAndWhyInText() throws Exception {
        var run = demo("--scenario", "spot");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).satisfies(DemoWithoutControlPlaneIT::saysWhy).contains("All scenarios succeeded.");
    }

    private static void saysWhy(String text) {
        assertThat(text)
                .contains("No real Kubernetes 1.36")
                .contains("turned off by TRAINYARD_GO=none")
                .contains("set TRAINYARD_CONTROL_PLANE to a directory")
                .contains("The demo is therefore simulated")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--kubernetes=1.36", "--cloud=aws", "--keep", "--scenario=none"})
    void failsWhenOnlyAControlPlaneWillDo(String flag) throws Exception {
        var run = demo(flag, "--output", "json");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("Go").contains("TRAINYARD_CONTROL_PLANE").doesNotContain("\tat ");
        assertThat(run.report().path("kubernetes").asText()).isEqualTo("none");
        assertThat(run.report().path("error").asText()).contains("TRAINYARD_CONTROL_PLANE");
    }

    private DemoRun demo(String... arguments) throws IOException, InterruptedException {
        return DemoRun.of(
                directory,
                Map.of(
                        "TRAINYARD_CONTROL_PLANE", "",
                        "KUBEBUILDER_ASSETS", "",
                        "TRAINYARD_GO", "none",
                        "XDG_CACHE_HOME", directory.resolve("cache").toString(),
                        "TRAINYARD_DOWNLOAD_BASE", "none"),
                arguments);
    }
}
