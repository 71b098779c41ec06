package dev.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of {@code trainyard plan}. Each directory of {@code plan} holds resources, and the plan for them at noon as text and as JSON. Rewrite
 * the plans with -Dtrainyard.update=true.
 */
class PlanCommandTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path GOLDEN = ROOT.resolve("cli/src/test/resources/plan");
    private static final String NOON = "2026-01-31T12:00:00Z";
    private static final String POOL = """
            apiVersion: trainyard.dev/v1alpha1
            kind: TrainingPool
            metadata: {name: p}
            spec:
              provider: {kwok: {}}
              capacityType: spot
              promise: {labels: {gpus: one}, allocatable: {cpu: "6", nvidia.com/gpu: "1"}}
            ---
            apiVersion: trainyard.dev/v1alpha1
            kind: TrainingTier
            metadata: {name: t}
            spec: {pools: [p], default: {gpus: {}}}
            ---
            """;

    @TempDir
    private Path directory;

    private record Ended(int exitCode, String out, String err) {
        JsonNode json() throws JsonProcessingException {
            return new ObjectMapper().readTree(out);
        }
    }

    static List<String> cases() throws IOException {
        try (var entries = Files.list(GOLDEN)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void saysWhatWouldBeDone(String name) throws IOException {
        var resources = GOLDEN.resolve(name).resolve("resources").toString();

        var text = plan("--resources", resources, "--now", NOON);
        var json = plan("--resources", resources, "--now", NOON, "--output", "json");

        assertThat(text.exitCode()).isZero();
        assertThat(json.exitCode()).isZero();
        compare(name, "plan.txt", text.out());
        compare(name, "plan.json", json.out());
        assertThat(text.err().lines().count())
                .as("each problem is a line on standard error")
                .isEqualTo(json.json().path("problems").size());
    }

    @Test
    void readsStandardInputAsTheApiServerListsThings() throws IOException {
        var pod = "{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": [{\"name\": \"a\", "
                + "\"resources\": {\"limits\": {\"nvidia.com/gpu\": \"1\"}}}]}}";
        var list = "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"items\": [%s]}".formatted(pod);
        var pools = Files.writeString(directory.resolve("pools.yaml"), POOL).toString();

        var json = withInput(list, "--resources", "-", "--resources", pools, "-o", "json");

        assertThat(json.exitCode()).isZero();
        assertThat(json.json().at("/pools/0/name").asText()).isEqualTo("p");
        assertThat(json.json().at("/pools/0/current").asInt()).isZero();
        assertThat(json.json().at("/pools/0/target").asInt()).isEqualTo(1);
        assertThat(json.json().path("placed")).hasSize(1);
    }

    @Test
    void theOrderOfFilesAndObjectsDoesNotMatter() throws IOException {
        var one = Files.writeString(directory.resolve("a.yaml"), POOL + gpuPod("b") + "---\n" + gpuPod("a"))
                .toString();
        var other = Files.writeString(directory.resolve("b.yaml"), gpuPod("a") + "---\n" + gpuPod("b") + "---\n" + POOL)
                .toString();

        assertThat(plan("--resources", one, "--now", NOON, "-o", "json").out())
                .isEqualTo(
                        plan("--resources", other, "--now", NOON, "-o", "json").out());
    }

    @Test
    void whatIsNoKubernetesObjectIsAProblemAndStopsNoOther() throws IOException {
        var file = Files.writeString(
                        directory.resolve("a.yaml"),
                        POOL + gpuPod("a") + "---\nreplicas: 3\n---\n{kind: List, items: [hello, {kind: 7}]}\n")
                .toString();

        var json = plan("--resources", file, "--now", NOON, "-o", "json").json();

        assertThat(json.at("/pools/0/target").asInt()).isEqualTo(1);
        assertThat(json.at("/problems"))
                .hasSize(3)
                .allMatch(problem -> problem.at("/problem").asText().contains("it has no kind"));
    }

    @Test
    void aMachineIsUnderUtilizedSinceItsPodsBeganWhereItsNodeDoesNotSay() throws IOException {
        var resources = "{cpu: '8', nvidia.com/gpu: '4'}";
        var nodes = new StringBuilder();
        for (var name : List.of("n1", "n2")) {
            nodes.append("---\n{kind: Node, apiVersion: v1, metadata: {name: ")
                    .append(name)
                    .append(", creationTimestamp: '2026-01-31T02:00:00Z', labels: {gpus: one}}, status: {allocatable: ")
                    .append(resources)
                    .append("}}\n---\n{kind: Pod, apiVersion: v1, metadata: {name: on-")
                    .append(name)
                    .append(
                            ", annotations: {trainyard.dev/resumable: 'true'}, creationTimestamp: '2026-01-31T02:00:00Z', ownerReferences: [{kind: Job, name: j, controller: true, ")
                    .append("apiVersion: batch/v1, uid: j}]}, spec: {nodeName: ")
                    .append(name)
                    .append(
                            ", containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: '1'}}}]}, status: {phase: Running}}\n");
        }
        var file = Files.writeString(directory.resolve("a.yaml"), POOL + nodes).toString();

        var json = plan("--resources", file, "--now", NOON, "-o", "json").json();

        assertThat(json.at("/remove")).as(json.toPrettyString()).hasSize(1);
    }

    @Test
    void countsDefaultRequestsOfALimitRangeForTheDaemonsOfANewMachine() throws IOException {
        var objects = """
                kind: TrainingPool
                metadata: {name: cpu}
                spec:
                  max: 5
                  capacityType: on-demand
                  provider: {kwok: {}}
                  promise: {allocatable: {cpu: "4", memory: 8Gi}}
                ---
                kind: TrainingTier
                metadata: {name: cpu}
                spec: {pools: [cpu]}
                ---
                kind: DaemonSet
                apiVersion: apps/v1
                metadata: {name: agent, namespace: team}
                spec:
                  selector: {matchLabels: {app: agent}}
                  template:
                    metadata: {labels: {app: agent}}
                    spec: {containers: [{name: agent, image: agent}]}
                ---
                kind: Pod
                metadata: {name: train, namespace: team, annotations: {trainyard.dev/tier: cpu}}
                spec: {containers: [{name: main, image: train, resources: {requests: {cpu: "4"}}}]}
                """;
        var limits = """
                ---
                kind: LimitRange
                metadata: {name: limits, namespace: team}
                spec: {limits: [{type: Container, defaultRequest: {cpu: 100m}}]}
                """;
        var without =
                Files.writeString(directory.resolve("without.yaml"), objects).toString();
        var with = Files.writeString(directory.resolve("with.yaml"), objects + limits)
                .toString();

        assertThat(plan("--resources", without, "--now", NOON, "-o", "json")
                        .json()
                        .at("/pools/0/target")
                        .asInt())
                .isEqualTo(1);
        assertThat(plan("--resources", with, "--now", NOON, "-o", "json")
                        .json()
                        .at("/pools/0/target")
                        .asInt())
                .as("100m of the agent do not fit beside the pod")
                .isZero();
    }

    @Test
    void podsBelowThePriorityCutOffGetNoMachine() throws IOException {
        var humble = gpuPod("a").replace("spec: {", "spec: {priority: -5, ");
        var file = Files.writeString(directory.resolve("a.yaml"), POOL + humble).toString();

        var usual = plan("--resources", file, "--now", NOON, "-o", "json").json();
        var strict = plan("--resources", file, "--now", NOON, "-o", "json", "--priority-cutoff", "0")
                .json();

        assertThat(usual.at("/pools/0/target").asInt()).isEqualTo(1);
        assertThat(strict.at("/pools/0/target").asInt()).isZero();
        assertThat(strict.at("/unplaced/0/reason").asText()).contains("below the cut-off of 0");
    }

    @Test
    void aStandInMachineIsNoneThatIsLate() throws IOException {
        var node = "{kind: Node, apiVersion: v1, metadata: {name: n, labels: {gpus: one}}, "
                + "status: {conditions: [{type: Ready, status: 'False'}]}}\n";
        var file = Files.writeString(directory.resolve("a.yaml"), POOL + node + "---\n" + gpuPod("a"))
                .toString();

        var json = plan("--resources", file, "-o", "json").json();

        assertThat(json.at("/pools/0/target").asInt()).as("it is on its way").isEqualTo(1);
        assertThat(json.at("/keep/0/state").asText()).isEqualTo("registering");
        assertThat(json.at("/placed/0/pool").asText()).isEqualTo("p");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''         | no object found; expected TrainingPools, nodes, pods and the like",
                "'{kind: [' | not YAML",
                "'just text'| not a Kubernetes object: it has no kind"
            })
    void aFileOfWhichNothingCanBeReadIsNamed(String text, String explanation) throws IOException {
        var file = Files.writeString(directory.resolve("a.yaml"), text);

        var ended = plan("--resources", file.toString());

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err())
                .startsWith("trainyard: " + file)
                .contains(explanation)
                .hasLineCount(1);
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void aMissingFileEndsWithOneAndAWrongCallWithTwo() {
        assertThat(plan("--resources", directory.resolve("none").toString()).exitCode())
                .isEqualTo(1);
        assertThat(plan().exitCode()).isEqualTo(2);
        assertThat(plan("--resources", "x", "--now", "noon").exitCode()).isEqualTo(2);
        assertThat(plan("--resources", "x", "-o", "xml").exitCode()).isEqualTo(2);
    }

    /** The first output block in the guide is the output of the command above it. */
    @Test
    void theExampleInTheGuideIsWhatIsPrinted() throws IOException {
        var guide = ROOT.resolve("docs/planning.md");
        var text = Files.readString(guide);
        var block = Pattern.compile("(<!-- plan: (.*?) -->\n```\n)(.*?)(```\n)", Pattern.DOTALL)
                .matcher(text);
        assertThat(block.find()).isTrue();
        var arguments = new ArrayList<String>();
        for (var argument : block.group(2).split(" ", 0)) {
            arguments.add(argument.contains("/") ? ROOT.resolve(argument).toString() : argument);
        }

        var printed = plan(arguments.toArray(String[]::new)).out();

        if (Boolean.getBoolean("trainyard.update")) {
            text = text.substring(0, block.start(3)) + printed + text.substring(block.end(3));
            Files.writeString(guide, text);
        }
        assertThat(text).contains(block.group(1) + printed + "```\n");
    }

    private static String gpuPod(String name) {
        return "{kind: Pod, apiVersion: v1, metadata: {name: %s}, spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n"
                .formatted(name);
    }

    private static Ended withInput(String input, String... arguments) {
        var before = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(UTF_8)));
        try {
            return plan(arguments);
        } finally {
            System.setIn(before);
        }
    }

    private static Ended plan(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var all = new ArrayList<>(List.of("plan"));
        all.addAll(List.of(arguments));
        int exitCode = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
        return new Ended(exitCode, out.toString(), err.toString());
    }

    private static void compare(String name, String fileName, String written) throws IOException {
        var file = GOLDEN.resolve(name).resolve(fileName);
        var actual = written.replace(GOLDEN.resolve(name).toString() + "/", "");
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(file, actual);
        }
        assertThat(file).hasContent(actual);
    }
}
