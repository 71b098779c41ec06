package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.local.binaries.KubernetesVersion;
import dev.trainyard.local.testing.WithControlPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code trainyard demo} in a separate process, as run by a script. */
@WithControlPlane // skips the test if the binaries are unavailable
class DemoIT {

    @TempDir
    private Path directory;

    @Test
    @Tag("slow")
    void playsAllSixScenariosAndPrintsOneJsonDocument() throws Exception {
        var run = demo(Map.of(), "--output", "json");

        var report = run.report();
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(report.path("ok").asBoolean()).isTrue();
        assertThat(report.path("kubernetes").asText()).isEqualTo("v" + KubernetesVersion.CURRENT.full());
        assertThat(report.path("cloud").asText()).isEqualTo("kwok");
        assertThat(report.path("scenarios").findValuesAsText("name")).containsSequence("spot");
        assertThat(names(report)).containsExactly("spot", "fallback", "burst", "tiers", "reclaim", "gangs");
        DemoRun.checkReclaim(report, "taint aws-node-termination-handler/spot-itn");
        DemoRun.checkGangs(report);
        assertThat(report.path("scenarios")).allSatisfy(scenario -> {
            assertThat(scenario.path("ok").asBoolean()).isTrue();
            assertThat(scenario.path("seconds").asDouble()).isPositive();
            var who = new ArrayList<String>();
            scenario.path("events").forEach(event -> who.add(event.path("who").asText()));
            assertThat(who).contains("webhook", "trainyard-scheduler", "scaler", "cloud (simulated)");
        });
    }

    /** Leaves out one component only. {@code DemoCommandTest} leaves out each component, in virtual time. */
    @Test
    @Tag("slow")
    void namesWhatDidNotHappenWithoutTheScaler() throws Exception {
        var run = demo(Map.of(), "--output", "json", "--scenario", "spot", "--without", "scaler", "--timeout", "20");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        var report = run.report();
        assertThat(report.path("error").asText()).as(run.err()).isEmpty();
        assertThat(report.path("ok").asBoolean()).isFalse();
        assertThat(report.at("/scenarios/0/result").asText())
                .contains("did not happen")
                .contains("the scaler gets machines")
                .contains("The scaler is not running");
    }

    @Test
    void refusesAScenarioThatThereIsNot() throws Exception {
        var run = demo(Map.of(), "--scenario", "sopt");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("there is no scenario 'sopt'; there are: spot, fallback, burst, tiers, reclaim, gangs");
    }

    private DemoRun demo(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        return DemoRun.of(directory, environment, arguments);
    }

    private static List<String> names(JsonNode report) {
        var names = new ArrayList<String>();
        report.path("scenarios")
                .forEach(scenario -> names.add(scenario.path("name").asText()));
        return names;
    }
}
