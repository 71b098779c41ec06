package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulateCommandTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final String EXAMPLES = ROOT.resolve("manifests/examples").toString();
    private static final String BURST =
            ROOT.resolve("manifests/examples/burst.yaml").toString();
    private static final String TRACE = """
            name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time
            a,2000,1024,1,1000,0,1200
            b,2000,1024,1,500,600,1200
            c,2000,1024,64,1000,600,1200
            """;

    @TempDir
    private Path directory;

    private record Ended(int exitCode, String out, String err) {
        JsonNode json() throws JsonProcessingException {
            return new ObjectMapper().readTree(out);
        }
    }

    private static Ended simulate(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var all = new ArrayList<>(List.of("simulate"));
        all.addAll(List.of(arguments));
        int exitCode = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
        return new Ended(exitCode, out.toString(), err.toString());
    }

    private static Ended fleeting(String seed) {
        return simulate(
                "--resources", EXAMPLES, "--workload", BURST, "--spot-lasts", "30m", "-o", "json", "--seed", seed);
    }

    @Test
    void theSameSeedGivesTheSameOutputAndAnotherOneAnother() {
        var once = fleeting("3");

        // A simulation that takes long reports its progress.
        assertThat(once.err().lines().filter(line -> !line.endsWith(" simulated")))
                .isEmpty();
        assertThat(once.exitCode()).isZero();
        assertThat(fleeting("3").out()).isEqualTo(once.out());
        assertThat(fleeting("4").out().replace("\"seed\" : 4", "\"seed\" : 3")).isNotEqualTo(once.out());
    }

    @Test
    void whatRunsOnSpotCostsLessThanOnDemand() throws JsonProcessingException {
        var json = simulate(
                        "--resources",
                        EXAMPLES,
                        "--workload",
                        BURST,
                        "--compare",
                        "on-demand-only,spot-only",
                        "-o",
                        "json")
                .json();

        assertThat(json).hasSize(3);
        for (var outcome : json) {
            assertThat(outcome.path("ran").asInt()).isEqualTo(40);
            assertThat(outcome.path("waiting")).isEmpty();
        }
        assertThat(json.get(1).path("cost").asDouble())
                .isGreaterThan(4 * json.get(0).path("cost").asDouble());
        assertThat(json.get(2).path("cost")).isEqualTo(json.get(0).path("cost"));
    }

    @Test
    void aTraceIsReplayedAndWhatFitsNothingSaysWhy() throws IOException {
        var trace = Files.writeString(directory.resolve("trace.csv"), TRACE);

        var ended = simulate("--resources", EXAMPLES, "--workload", trace.toString(), "--for", "1h");

        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out())
                .contains("3 pods, 2 ran")
                .contains(
                        "still waiting: 1: asks for nvidia.com/gpu 64; the largest machine of tier heavy-gpu (pool heavy-spot) has 4")
                .contains("light-spot")
                .doesNotContain("light-ondemand  1");
    }

    @Test
    void thePageLoadsNothingAndHasPlotsOfMachinesPodsAndGpusAndOneThatCompares() {
        var page = simulate("--resources", EXAMPLES, "--workload", BURST, "--compare", "on-demand-only", "-o", "html")
                .out();

        assertThat(page)
                .startsWith("<!DOCTYPE html>")
                .doesNotContain("<script")
                .doesNotContain("http:")
                .doesNotContain("https:")
                .doesNotContain("url(")
                .doesNotContain("NaN");
        assertThat(page.split("<figure>", -1)).hasSize(1 + 1 + 2 * 3);
        assertThat(page).contains("<td>on-demand-only</td>", "prefers-color-scheme: dark");
    }

    @Test
    void countsDeadlinesThatTheScalerSeesOrNot() throws IOException {
        var trace = Files.writeString(directory.resolve("trace.csv"), TRACE);
        String[] arguments = {
            "--resources",
            EXAMPLES,
            "--workload",
            trace.toString(),
            "--deadline",
            "300",
            "--compare",
            "ignore-deadlines"
        };
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("-o", "json"));

        var json = simulate(all.toArray(String[]::new)).json();

        for (var outcome : json) {
            var deadlines = outcome.path("deadlines");
            assertThat(deadlines.path("met").asInt()).isPositive();
            assertThat(deadlines.path("met").asInt() + deadlines.path("missed").asInt())
                    .as("one of the three Jobs asks for more GPUs than any machine has")
                    .isEqualTo(3);
        }
        assertThat(simulate(arguments).out()).contains("DEADLINES         MET  MISSED  GPU HOURS USED");
    }

    @Test
    void machinesThatThereAreNotAreBoughtElsewhere() throws IOException {
        var trace = Files.writeString(directory.resolve("trace.csv"), TRACE);

        var json = simulate(
                        "--resources",
                        EXAMPLES,
                        "--workload",
                        trace.toString(),
                        "--for",
                        "1h",
                        "--stock",
                        "light-spot=0",
                        "-o",
                        "json")
                .json();

        assertThat(json.get(0).path("ran").asInt()).isEqualTo(2);
        assertThat(json.get(0).path("pools").findValuesAsText("pool")).containsExactly("light-ondemand");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--compare=cheaper | is not a variation; expected one of on-demand-only",
                "--compare=idle-after=soon | is not a duration",
                "--stock=none=3 | there is no pool 'none'",
                "--scan-interval=0s | is not greater than 0s",
                "--for=-1h | is not a duration",
                "--for=0s | is not greater than 0s",
                "--spot-lasts=0s | is not greater than 0s",
                "--spot-lasts-in=light-spot=0s | is not greater than 0s",
                "--spot-lasts-in=none=1h | there is no pool 'none'",
                "--compare=in-order=1h | is not a variation",
                "--spot-notice=2m | expected --spot-lasts",
                "--compare=spot-notice=2m | expected --spot-lasts",
                "--compare=checkpoint-grace=0s | is not greater than 0s",
                "--compare=return-to-spot=0s | is not greater than 0s",
                "--compare=resumable+cheaper | is not a variation",
                "--stock=light-spot=-1 | expected 0 or more machines",
                "--deadline=99 | is not a percentage from 100 to 10000",
                "--restart-cost=0s | is not greater than 0s",
                "--slack=-1s | is not a duration such as",
                "--from=1h | is not a trace",
            })
    void aWrongCallIsToldInALineAndEndsWithTwo(String argument, String message) {
        var ended = simulate("--resources", EXAMPLES, "--workload", BURST, argument);

        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains(message).doesNotContain("\tat ");
        assertThat(ended.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time' | no object is created in the simulated time",
                "'name,cpu,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time' | column cpu_milli is missing",
                "'' | is empty; expected a header",
            })
    void aTraceThatCannotBeUsedIsToldInALineAndEndsWithOne(String content, String message) throws IOException {
        var trace = Files.writeString(directory.resolve("trace.csv"), content);

        var ended = simulate("--resources", EXAMPLES, "--workload", trace.toString());

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err())
                .startsWith("trainyard: " + trace)
                .contains(message)
                .hasLineCount(1);
    }

    @Test
    void whatGoesWrongBesidesIsSaidAndShows() throws JsonProcessingException {
        var storms =
                simulate("--resources", EXAMPLES, "--workload", BURST, "--faults", "spot_storm,stock", "-o", "json");
        var text = simulate("--resources", EXAMPLES, "--workload", BURST, "--faults", "spot_storm");

        var outcome = storms.json().get(0);
        assertThat(outcome.path("faults")).extracting(JsonNode::asText).containsExactly("stock", "spot_storm");
        assertThat(outcome.path("lost").asInt()).isPositive();
        assertThat(text.out()).startsWith("as configured: ").contains(", with spot_storm\n");
    }

    @Test
    void gpusAreNotUsedOnMachinesThatNobodyPaysForAnyMore() throws JsonProcessingException {
        var outcome = fleeting("3").json().get(0);

        assertThat(outcome.path("lost").asInt()).isPositive();
        for (var sample : outcome.path("timeline")) {
            assertThat(sample.path("gpusUsed").asInt())
                    .as(sample.toString())
                    .isLessThanOrEqualTo(sample.path("gpus").asInt());
        }
        assertThat(outcome.path("gpuHoursUsed").asDouble())
                .isLessThan(outcome.path("gpuHoursPaid").asDouble());
    }

    /** A machine needs about four minutes until its node has GPUs. */
    @Test
    void noticeBeforeReclaimsSavesTheBootTimeAndCheckpoints() throws IOException {
        var without = reclaimed("spot-notice=0s");

        assertThat(without.at("/0/reclaims/saved").asInt()).isZero();
        assertThat(without.at("/0/reclaims/pods")).isEqualTo(without.at("/0/lost"));
        assertThat(without.at("/1/scenario").asText()).isEqualTo("spot-notice=0s");
        assertThat(((ObjectNode) without.get(1)).put("scenario", "as configured"))
                .isEqualTo(without.get(0));

        var with =
                reclaimed("spot-notice=10m,spot-notice=2m", "--compare", "checkpoint-grace=90s", "--spot-notice", "2m");
        assertThat(with.at("/1/reclaims/delays/p50").asDouble()).isZero();
        assertThat(without.at("/0/reclaims/delays/p50").asDouble()
                        - with.at("/0/reclaims/delays/p50").asDouble())
                .as("the notice of two minutes is shorter than the boot")
                .isGreaterThan(120);
        assertThat(without.at("/0/reclaims/delays/p50").asDouble()).isGreaterThan(3 * 60);
        assertThat(with.get(3).at("/reclaims/saved")).isEqualTo(with.get(3).at("/reclaims/pods"));
        assertThat(with.get(3).at("/reclaims/gpuHoursLost").asDouble())
                .isLessThan(with.get(0).at("/reclaims/gpuHoursLost").asDouble() / 2);
        assertThat(with.get(3).at("/gpuHoursUsed").asDouble())
                .as("trainings resume from their checkpoints")
                .isLessThan(with.get(0).at("/gpuHoursUsed").asDouble());
    }

    /** Simulates trainings of an hour, each with a machine of its own that lasts an hour on average. */
    private JsonNode reclaimed(String compare, String... more) throws IOException {
        var rows = new StringBuilder(TRACE.lines().findFirst().orElseThrow());
        for (int i = 0; i < 12; i++) {
            rows.append("\ntraining-%d,8000,1024,8,1000,0,3600".formatted(i));
        }
        var trace = Files.writeString(directory.resolve("trace.csv"), rows);
        var arguments = new ArrayList<>(List.of("--resources", EXAMPLES + "/openb", "--workload", trace.toString()));
        arguments.addAll(List.of("--spot-lasts", "1h", "-o", "json", "--compare", compare));
        arguments.addAll(List.of(more));
        return simulate(arguments.toArray(String[]::new)).json();
    }

    @Test
    void podsShareGpusWhereThatIsAskedFor() throws IOException {
        var trace = Files.writeString(
                directory.resolve("trace.csv"),
                TRACE.lines().findFirst().orElseThrow()
                        + "\na,2000,1024,1,600,0,3600\nb,2000,1024,1,400,0,3600\nc,2000,1024,1,500,600,3600\nd,2000,1024,1,1000,600,3600\n");

        var whole = simulate("--resources", EXAMPLES, "--workload", trace.toString(), "-o", "json")
                .json();
        var part = simulate("--resources", EXAMPLES, "--workload", trace.toString(), "--sharing", "part", "-o", "json")
                .json();

        assertThat(whole.at("/0/pools/0/made").asInt()).isEqualTo(4);
        assertThat(whole.at("/0/waitsByGpus").fieldNames()).toIterable().containsExactly("1");
        assertThat(part.at("/0/ran").asInt()).isEqualTo(4);
        assertThat(part.at("/0/waitsByGpus").fieldNames()).toIterable().containsExactly("shared", "1");
        assertThat(part.at("/0/waitsByGpus/shared/ran").asInt()).isEqualTo(3);
        assertThat(part.at("/0/waitsByGpus/1/ran").asInt()).isEqualTo(1);
        assertThat(part.at("/0/pools"))
                .as("a and b on one machine, c and d on machines of their own")
                .singleElement()
                .satisfies(pool -> {
                    assertThat(pool.path("pool").asText()).isEqualTo("light-spot");
                    assertThat(pool.path("made").asInt()).isEqualTo(3);
                });
        assertThat(part.at("/0/gpuHoursUsed").asDouble()).isBetween(2.2, 2.4);
    }

    @Test
    void aJobFailsOnceHoweverManyOfItsPodsAreLost() throws IOException {
        var burst = Files.readString(Path.of(BURST));
        // Jobs whose pods are never restarted do not count lost pods.
        assertThat(burst).contains("restartPolicy: Never");
        var workload = Files.writeString(
                directory.resolve("burst.yaml"), burst.replace("restartPolicy: Never", "restartPolicy: OnFailure"));

        var outcome = simulate(
                        "--resources",
                        EXAMPLES,
                        "--workload",
                        workload.toString(),
                        "--faults",
                        "spot_storm",
                        "--for",
                        "30m",
                        "-o",
                        "json")
                .json()
                .get(0);

        assertThat(outcome.path("lost").asInt()).isGreaterThan(7);
        assertThat(outcome.path("failedJobs").asInt()).isEqualTo(1);
    }

    @Test
    void podsThatNobodyWantsAnyMoreAreNotLost() throws IOException {
        var workload = Files.writeString(directory.resolve("serving.yaml"), """
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  name: serving
                  annotations: {trainyard.dev/simulated-duration: 10m}
                spec:
                  replicas: 2
                  selector: {matchLabels: {app: serving}}
                  template:
                    metadata: {labels: {app: serving}}
                    spec: {containers: [{name: main, image: serving, resources: {limits: {nvidia.com/gpu: 1}}}]}
                """);

        var ended = simulate("--resources", EXAMPLES, "--workload", workload.toString());

        assertThat(ended.out()).contains("2 pods, 2 ran\n");
    }

    @Test
    void whoRefusedAPodAndWhyIsSaid() throws IOException {
        var workload = Files.writeString(directory.resolve("refused.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: one, annotations: {trainyard.dev/tier: none}}
                spec: {containers: [{name: main, image: one}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: two}
                spec: {priorityClassName: none, containers: [{name: main, image: two}]}
                """);

        var ended = simulate("--resources", EXAMPLES, "--workload", workload.toString());

        assertThat(ended.out())
                .contains("0 pods, 0 ran\n")
                .contains("refused: 1, by the webhook: ")
                .contains("refused: 1, by the API server: PriorityClass 'none' is missing");
    }

    @Test
    void aPoolThatCannotBeUsedIsToldAndEndsWithOne() throws IOException {
        var pools = Files.writeString(
                directory.resolve("pools.yaml"),
                Files.readString(Path.of(EXAMPLES, "openb/pools-and-tiers.yaml"))
                        .replace("hourlyPrice: \"6.2\"", "hourlyPrice: \"6.2\"\n  max: -1"));

        var ended = simulate("--resources", pools.toString(), "--workload", BURST);

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err()).contains("TrainingPool gpu-spot: spec.max").hasLineCount(1);
    }

    @Test
    void aPartOfAGpuIsAWholeOneWhereNothingLetsPodsShare() throws IOException {
        var workload = Files.writeString(
                directory.resolve("share.yaml"),
                Files.readString(Path.of(BURST))
                        .replace(
                                "    spec:\n      restartPolicy",
                                "    metadata: {annotations: {trainyard.dev/gpu-milli: \"300\"}}\n    spec:\n      restartPolicy"));

        var outcome = simulate("--resources", EXAMPLES, "--workload", workload.toString(), "-o", "json")
                .json()
                .get(0);

        assertThat(outcome.path("gpuHoursUsed").asDouble()).isBetween(6.5, 7.0);
    }

    @Test
    void whatRunsStillAtTheEndHasUsedItsGpu() throws IOException {
        var trace = Files.writeString(directory.resolve("trace.csv"), TRACE.replace(",0,1200", ",0,86400"));

        var json = simulate("--resources", EXAMPLES, "--workload", trace.toString(), "--for", "10h", "-o", "json")
                .json();

        assertThat(json.get(0).path("gpuHoursUsed").asDouble()).isBetween(9.0, 10.5);
    }
}
