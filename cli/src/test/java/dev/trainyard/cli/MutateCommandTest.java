package dev.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of {@code trainyard mutate}. Each directory of {@code mutate} holds an object as written, the admitted object, their difference, and
 * the messages. Rewrite the expected files with -Dtrainyard.update=true.
 */
class MutateCommandTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path GOLDEN = ROOT.resolve("cli/src/test/resources/mutate");
    private static final String EXAMPLES = ROOT.resolve("manifests/examples").toString();
    private static final String GPU_POD =
            "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}";

    @TempDir
    private Path directory;

    private record Ended(int exitCode, String out, String err) {}

    static List<String> cases() throws IOException {
        try (var entries = Files.list(GOLDEN)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "['x'] | not completed: spec.containers[0].volumeMounts[0] has an invalid value: expected an object",
                "[{name: v, mountPath: 5}] | not completed: spec.containers[0].volumeMounts[0].mountPath has an invalid value: expected text",
                "[{name: v, mountPath: /a}, {name: 1, mountPath: /b}] | not completed: spec.containers[0].volumeMounts[1].name has an invalid value: expected text",
                "[{name: v}] | tier light-gpu",
                "[{name: v, mountPath: ''}] | tier light-gpu",
            },
            quoteCharacter = '`')
    void mountWithoutAPathIsNotAtTheRoot(String mounts, String remark) throws IOException {
        var pod = GPU_POD.replace("name: a, resources", "name: a, volumeMounts: " + mounts + ", resources");
        var file = Files.writeString(directory.resolve("pod.yaml"), pod).toString();

        assertThat(mutate("-f", file, "--resources", EXAMPLES).err())
                .contains(remark)
                .doesNotContain("keeps its");
    }

    @Test
    void whiteSpaceAroundTheNameOfATierIsRemoved() throws IOException {
        var pod = GPU_POD.replace(
                "{name: a}, spec", "{name: a, annotations: {trainyard.dev/tier: \" light-gpu\\n\"}}, spec");
        var file = Files.writeString(directory.resolve("pod.yaml"), pod).toString();

        assertThat(mutate("-f", file, "--resources", EXAMPLES).out()).contains("trainyard.dev/tier: light-gpu\n");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void showsTheObjectAndTheDifference(String name) throws IOException {
        var object = GOLDEN.resolve(name).resolve("object.yaml").toString();

        var yaml = mutate("-f", object, "--resources", EXAMPLES);
        var diff = mutate("-f", object, "--resources", EXAMPLES, "--output", "diff");

        compare(name, "admitted.yaml", yaml.out());
        compare(name, "changes.diff", diff.out());
        compare(name, "remarks.txt", yaml.err());
        assertThat(diff.err()).isEqualTo(yaml.err());
        assertThat(yaml.exitCode()).isEqualTo(yaml.err().contains("refused") ? 1 : 0);
        assertThat(diff.exitCode()).isEqualTo(yaml.exitCode());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void hasNothingToChangeOfWhatItPrinted(String name) throws IOException {
        var object = GOLDEN.resolve(name).resolve("object.yaml").toString();
        var admitted = Files.writeString(
                directory.resolve("a.yaml"),
                mutate("-f", object, "--resources", EXAMPLES).out());

        assertThat(mutate("-f", admitted.toString(), "--resources", EXAMPLES, "-o", "diff")
                        .out())
                .isEmpty();
    }

    @Test
    void aliasesAndMergeKeysAreResolved() throws IOException {
        var file = Files.writeString(directory.resolve("a.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: a}
                x-gpu: &gpu {resources: {limits: {nvidia.com/gpu: 1}}}
                spec:
                  containers:
                  - {name: first, image: &image registry/train:1, <<: *gpu}
                  - {name: second, image: *image}
                """);
        var ended = mutate("-f", file.toString(), "--resources", EXAMPLES);

        assertThat(ended.err()).startsWith("Pod/a: tier light-gpu");
        assertThat(ended.out()).doesNotContain("<<").containsPattern("name: second\\s+image: registry/train:1");
    }

    @Test
    void readsStandardInputAndSeveralFiles() throws IOException {
        var input = System.in;
        System.setIn(new ByteArrayInputStream(GPU_POD.getBytes(UTF_8)));
        try {
            var job = GOLDEN.resolve("job/object.yaml").toString();
            var ended = mutate("-f", "-", "-f", job, "--resources", EXAMPLES);

            assertThat(ended.err()).startsWith("Pod/a: tier light-gpu\n").contains("Job/train: tier light-gpu\n");
            assertThat(ended.out()).contains("kind: Pod", "kind: Job");
            assertThat(ended.exitCode()).isZero();
        } finally {
            System.setIn(input);
        }
    }

    @Test
    void objectsWithoutNamespaceAreOfTheOneThatIsNamed() throws IOException {
        var pod = Files.writeString(directory.resolve("pod.yaml"), GPU_POD).toString();

        assertThat(mutate("-f", pod, "-n", "kube-system", "--resources", EXAMPLES)
                        .err())
                .isEqualTo(
                        "Pod/a in namespace kube-system: left alone: namespace kube-system is excluded from all changes\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''         | no object found; expected a pod, a Job or the like",
                "'# only a comment' | no object found",
                "'{kind: [' | not YAML",
                "'just text'| not a Kubernetes object: it has no kind",
                "'{a: 1}'   | not a Kubernetes object: it has no kind"
            })
    void aFileThatHoldsNoObjectIsNamed(String text, String explanation) throws IOException {
        var file = Files.writeString(directory.resolve("job.yaml"), text);

        var ended = mutate("-f", file.toString(), "--resources", EXAMPLES);

        assertThat(ended.exitCode()).isEqualTo(3);
        assertThat(ended.err())
                .startsWith("trainyard: " + file)
                .contains(explanation)
                .hasLineCount(1);
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void aWrongCallEndsWithTwo() {
        assertThat(mutate("--resources", EXAMPLES).exitCode()).isEqualTo(2);
        assertThat(mutate("-f", "x", "--output", "xml").exitCode()).isEqualTo(2);
    }

    @Test
    void whatCannotBeReadEndsWithThreeAndARefusedPodWithOne() throws IOException {
        assertThat(mutate("-f", directory.resolve("none.yaml").toString(), "--resources", EXAMPLES)
                        .exitCode())
                .isEqualTo(3);
        var broken = Files.writeString(directory.resolve("kubeconfig"), "a: [").toString();
        var pod = Files.writeString(directory.resolve("pod.yaml"), GPU_POD).toString();
        assertThat(mutate("-f", pod, "--kubeconfig", broken).exitCode()).isEqualTo(3);
        var half = Files.writeString(directory.resolve("half.yaml"), GPU_POD.replace("gpu: 1", "gpu: 0.5"));
        assertThat(mutate("-f", half.toString(), "--resources", EXAMPLES).exitCode())
                .isEqualTo(1);
        var malformed = Files.writeString(directory.resolve("malformed.yaml"), "{kind: Pod, metadata: {name: a}}");
        assertThat(mutate("-f", malformed.toString(), "--resources", EXAMPLES).exitCode())
                .isEqualTo(1);
    }

    @Test
    void aNamespaceInTheFilesGoesBeforeThatOfTheResources() throws IOException {
        var text =
                "{kind: Namespace, apiVersion: v1, metadata: {name: research, annotations: {trainyard.dev/tier: %s}}}\n";
        var resources = Files.createDirectory(directory.resolve("resources"));
        Files.copy(Path.of(EXAMPLES, "pools.yaml"), resources.resolve("pools.yaml"));
        Files.copy(Path.of(EXAMPLES, "tiers.yaml"), resources.resolve("tiers.yaml"));
        Files.writeString(resources.resolve("namespace.yaml"), text.formatted("light-gpu"));
        var pod = Files.writeString(directory.resolve("pod.yaml"), GPU_POD).toString();
        var namespace = Files.writeString(directory.resolve("namespace.yaml"), text.formatted("heavy-gpu"));

        assertThat(mutate("-f", pod, "-n", "research", "--resources", resources.toString())
                        .err())
                .isEqualTo("Pod/a in namespace research: tier light-gpu\n");
        assertThat(mutate("-f", namespace.toString(), "-f", pod, "-n", "research", "--resources", resources.toString())
                        .err())
                .isEqualTo("Pod/a in namespace research: tier heavy-gpu\n");
    }

    @Test
    void aClusterThatCannotBeReachedIsNamed() throws IOException {
        var pod = Files.writeString(directory.resolve("pod.yaml"), GPU_POD).toString();
        var ended = mutate("-f", pod, "--kubeconfig", kubeconfig(1).toString());

        assertThat(ended.exitCode()).isEqualTo(3);
        assertThat(ended.err())
                .startsWith("trainyard: pools and tiers cannot be read from the cluster at http://127.0.0.1:1/: ")
                .contains("--kubeconfig", "--resources")
                .hasLineCount(1);
    }

    @Test
    void withoutResourcesTheClusterIsAskedAndOnlyRead() throws IOException {
        var answers = Map.of(
                "/apis/trainyard.dev/v1alpha1/trainingpools",
                """
                {"kind": "TrainingPoolList", "apiVersion": "trainyard.dev/v1alpha1", "metadata": {}, "items": [
                  {"kind": "TrainingPool", "apiVersion": "trainyard.dev/v1alpha1", "metadata": {"name": "p"}, "spec":
                    {"provider": {"kwok": {}}, "capacityType": "on-demand",
                     "promise": {"labels": {"gpu": "yes"}, "allocatable": {"nvidia.com/gpu": "1"}}}}]}""",
                "/apis/trainyard.dev/v1alpha1/trainingtiers",
                """
                {"kind": "TrainingTierList", "apiVersion": "trainyard.dev/v1alpha1", "metadata": {}, "items": [
                  {"kind": "TrainingTier", "apiVersion": "trainyard.dev/v1alpha1", "metadata": {"name": "of-the-cluster"},
                   "spec": {"pools": ["p"]}}]}""",
                "/api/v1/namespaces/research",
                """
                {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "research",
                  "annotations": {"trainyard.dev/tier": "of-the-cluster"}}}""");
        var asked = new CopyOnWriteArrayList<String>();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestMethod());
            var answer = answers.get(exchange.getRequestURI().getPath());
            var body = (answer == null ? "{\"kind\": \"Status\", \"code\": 404}" : answer).getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            var pod = Files.writeString(directory.resolve("pod.yaml"), GPU_POD).toString();
            var kubeconfig = kubeconfig(server.getAddress().getPort()).toString();

            assertThat(mutate("-f", pod, "--kubeconfig", kubeconfig).err())
                    .isEqualTo("Pod/a in namespace research: tier of-the-cluster\n");
            assertThat(mutate("-f", pod, "-n", "elsewhere", "--kubeconfig", kubeconfig)
                            .err())
                    .startsWith("namespace elsewhere does not exist; assuming a namespace without annotations\n");
            assertThat(asked).containsOnly("GET");
        } finally {
            server.stop(0);
        }
    }

    private Path kubeconfig(int port) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: c
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                contexts: [{name: c, context: {cluster: c, user: u, namespace: research}}]
                users: [{name: u, user: {}}]
                """.formatted(port));
    }

    private static Ended mutate(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var all = new java.util.ArrayList<>(List.of("mutate"));
        all.addAll(List.of(arguments));
        int exitCode = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
        return new Ended(exitCode, out.toString(), err.toString());
    }

    private static void compare(String name, String fileName, String actual) throws IOException {
        var file = GOLDEN.resolve(name).resolve(fileName);
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(file, actual);
        }
        assertThat(file).hasContent(actual);
    }
}
