package dev.trainyard.workshop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the demo's scenarios in a simulated cluster; {@code DemoIT} runs them on a real control plane. */
class DemoCommandTest {

    private record Ended(int exitCode, String out, String err) {
        JsonNode json() throws JsonProcessingException {
            return new ObjectMapper().readTree(out);
        }
    }

    private static Ended demo(String... arguments) {
        var all = new ArrayList<>(List.of("demo", "--kubernetes", "simulated"));
        all.addAll(List.of(arguments));
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var usualOut = System.out;
        var usualErr = System.err;
        System.setOut(new PrintStream(out, true, UTF_8));
        System.setErr(new PrintStream(err, true, UTF_8));
        try {
            int exitCode = Workshop.commandLine().execute(all.toArray(String[]::new));
            return new Ended(exitCode, out.toString(UTF_8), err.toString(UTF_8));
        } finally {
            System.setOut(usualOut);
            System.setErr(usualErr);
        }
    }

    private static List<String> values(JsonNode events, String field) {
        return StreamSupport.stream(events.spliterator(), false)
                .map(event -> event.path(field).asText())
                .toList();
    }

    @Test
    void playsAllSixScenariosAndPrintsOneJsonDocumentAsOnAControlPlane() throws JsonProcessingException {
        var ended = demo("--output", "json");

        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isZero();
        var report = ended.json();
        assertThat(report.fieldNames()).toIterable().containsExactly("kubernetes", "cloud", "scenarios", "ok");
        assertThat(report.path("kubernetes").asText()).isEqualTo("simulated");
        assertThat(report.path("cloud").asText()).isEqualTo("kwok");
        assertThat(report.path("ok").asBoolean()).isTrue();
        assertThat(values(report.path("scenarios"), "name"))
                .containsExactly("spot", "fallback", "burst", "tiers", "reclaim", "gangs");
        assertThat(report.path("scenarios")).allSatisfy(scenario -> {
            assertThat(scenario.fieldNames()).toIterable().containsExactly("name", "ok", "seconds", "result", "events");
            assertThat(scenario.path("ok").asBoolean()).isTrue();
            assertThat(scenario.path("seconds").asDouble()).isBetween(10.0, 200.0);
            assertThat(values(scenario.path("events"), "who"))
                    .contains("webhook", "trainyard-scheduler", "scaler", "cloud (simulated)", "kubelet (simulated)");
        });
        assertThat(values(report.at("/scenarios/1/events"), "what"))
                .anyMatch(what -> what.startsWith("Fallback: pool scarce-ondemand grows from 0 to 1"));
        assertThat(values(report.at("/scenarios/2/events"), "what"))
                .filteredOn("is Succeeded"::equals)
                .hasSize(40);
        assertThat(ended.err()).contains("Trainyard on a simulated Kubernetes, in virtual time");
    }

    @Test
    void replacesAReclaimedMachineAndReturnsToSpotLater() throws JsonProcessingException {
        var ended = demo("--output", "json", "--scenario", "reclaim");

        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isZero();
        var scenario = ended.json().at("/scenarios/0");
        assertThat(values(scenario.path("events"), "what"))
                .containsSubsequence(
                        "announces a reclaim: taint aws-node-termination-handler/spot-itn",
                        "resized from 0 to 1 machines",
                        "evicted, with 30 s to end",
                        "places the pod on a machine of pool reclaim-ondemand",
                        "resized from 0 to 1 machines",
                        "evicted, with 30 s to end",
                        "places the pod on a machine of pool reclaim-spot",
                        "is Succeeded");
        assertThat(scenario.path("result").asText())
                .matches(
                        "a machine of reclaim-ondemand was requested at [0-9.]+ s, and the pod was evicted at [0-9.]+ s;"
                                + " the pod returned to spot: a machine of reclaim-spot was requested at [0-9.]+ s, and"
                                + " the pod was evicted at [0-9.]+ s;"
                                + " the Job completed and counts no failure; no on-demand machine remains");
        assertThat(ended.err())
                .contains("$ kubectl taint node ", " aws-node-termination-handler/spot-itn=demo:NoSchedule")
                .contains("The Job controller creates the pod again 10 s after the eviction, or later.");
    }

    @Test
    void startsOneGangWholeAndThenTheOther() throws JsonProcessingException {
        var ended = demo("--output", "json", "--scenario", "gangs");

        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isZero();
        assertThat(ended.json().at("/scenarios/0/result").asText())
                .matches("all 8 pods of (pretrain|finetune) got nodes within [0-9.]+ s, and after it had completed,"
                        + " all 8 pods of (pretrain|finetune) got nodes within [0-9.]+ s;"
                        + " 8 machines were requested for 16 pods; no machine remains");
        assertThat(ended.err())
                .containsPattern("\\$ kubectl events --namespace demo-gangs --for pod/(pretrain|finetune)-")
                .containsPattern(
                        "Warning +NotPlaceable +Pod/[-a-z0-9]+ +no machine is requested for the 8 pending pods")
                .containsPattern("Normal +GangStarts +Pod/[-a-z0-9]+ +all 8 pods of gang .* have room");
    }

    @Test
    void tellsTheSameAsTextTheSameEveryTime() {
        var ended = demo();

        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .contains("Trainyard on a simulated Kubernetes, in virtual time")
                .contains("1/6 spot:", "2/6 fallback:", "3/6 burst:", "4/6 tiers:", "5/6 reclaim:", "6/6 gangs:")
                .contains("$ kubectl create --namespace demo-spot -f manifests/examples/tftrain.yaml")
                .containsPattern("light-spot +spot +0 +100 +40 +40 +0")
                .containsPattern("scarce-spot +spot +0 +100 +0 +0 +0 +spot-capacity +no capacity \\(spot\\)")
                .contains("40 pods")
                .contains("All scenarios succeeded.")
                .containsPattern(
                        "burst +yes +[0-9.]+ +40 machines of light-spot, each requested once, in one resize; 40 trainings done");
        assertThat(demo().out()).isEqualTo(ended.out());
    }

    @ParameterizedTest
    @CsvSource({
        "webhook, the webhook completes the pod",
        "extender, the scheduler asks the extender",
        "scaler, the scaler gets machines"
    })
    void namesWhatDidNotHappenWhenAPartIsMissing(String part, String missing) throws JsonProcessingException {
        var ended = demo("--output", "json", "--scenario", "spot", "--without", part);

        assertThat(ended.exitCode()).isEqualTo(1);
        var report = ended.json();
        assertThat(report.path("ok").asBoolean()).isFalse();
        assertThat(report.at("/scenarios/0/result").asText())
                .contains("did not happen within 90s")
                .contains(missing)
                .contains("The %s is not running".formatted(part));
    }

    /** The timeout also applies to virtual time. */
    @Test
    void losesPatienceWhenMachinesTakeLonger() {
        var ended = demo("--scenario", "spot", "--timeout", "5");

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.out())
                .contains("FAILED: did not happen within 5s: the scaler gets machines and the pod run")
                .contains("Not all scenarios succeeded.");
    }
}
