package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of {@code trainyard import}. Each directory of {@code import} holds the files of another tool, the arguments, the expected manifests
 * and the expected remarks. Rewrite the expected files with -Dtrainyard.update=true.
 */
class ImportCommandTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path GOLDEN = ROOT.resolve("cli/src/test/resources/import");
    private static final String AZURE = "--subscription-id 0 -g training --name-suffix 12345678";

    @TempDir
    private Path directory;

    private record Ended(int exitCode, String out, String err) {}

    static List<String> cases() throws IOException {
        try (var entries = Files.list(GOLDEN)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void writesPoolsAndTiersAndSaysWhatWasLeftOut(String name) throws IOException {
        var ended = runCase(name);

        compare(name, "objects.yaml", ended.out());
        compare(name, "remarks.txt", ended.err());
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.err()).doesNotContain("never-shown").doesNotContain(ROOT.toString());
        assertThat(ended.out()).doesNotContain("never-shown");
    }

    /** Reads the output as strictly as the components read files. */
    @ParameterizedTest
    @MethodSource("cases")
    void whatItWritesCanBeUsed(String name) throws IOException {
        var catalogue = catalogue(runCase(name).out());

        assertThat(catalogue.problems()).isEmpty();
        assertThat(catalogue.pools()).isNotEmpty();
        assertThat(catalogue.tiers().values())
                .allSatisfy(tier -> assertThat(tier.pools()).isNotEmpty())
                .flatExtracting(tier -> tier.pools())
                .as("every pool is in one tier")
                .containsExactlyInAnyOrderElementsOf(catalogue.pools().values());
        assertThat(catalogue.tiers().values()).allSatisfy(tier -> {
            assertThat(tier.pools()).isSortedAccordingTo((a, b) -> Boolean.compare(b.isSpot(), a.isSpot()));
            assertThat(tier.pools().stream().map(pool -> pool.promisedGpus()).distinct())
                    .hasSize(1);
            assertThat(tier.defaultGpus().isPresent())
                    .isEqualTo(tier.pools().get(0).promisedGpus() > 0);
        });
    }

    /** Every number of GPUs up to that of the largest machine has a default tier. */
    @Test
    void defaultTiersLeaveNoGap() throws IOException {
        var catalogue = catalogue(runCase("acs-engine-parameters").out());

        for (long gpus = 1; gpus <= 4; gpus++) {
            long wanted = gpus;
            assertThat(catalogue.tiers().values().stream()
                            .filter(tier -> tier.defaultGpus()
                                    .map(range -> range.contains(wanted))
                                    .orElse(false)))
                    .as("tiers for %d GPUs", wanted)
                    .hasSize(1);
        }
    }

    @Test
    void seed003_aGpuPodOfTheAksEngineClusterGetsASpotMachineFirst() throws IOException {
        var plan = plan("aks-engine", pods(3, "nvidia.com/gpu: 1", "gpu: 'true'"));

        assertThat(targets(plan)).containsOnly(entry("gpucanada", 3), entry("fallcanada", 0), entry("gencanada", 0));
    }

    @Test
    void seed003_aGeneralPodOfTheAksEngineClusterNeverGetsAGpuMachine() throws IOException {
        var plan = plan("aks-engine", pods(3, "cpu: 1", "general: 'true'", "trainyard.dev/tier: cpu-ds2-v2"));

        assertThat(targets(plan)).containsOnly(entry("gencanada", 3), entry("gpucanada", 0), entry("fallcanada", 0));
    }

    @Test
    void seed003_theLimitOfOneSetsPlacementGroupIsRespectedPerPool() throws IOException {
        var pools = catalogue(runCase("aks-engine").out()).pools();

        assertThat(pools.get("gencanada").max()).isEqualTo(100);
        assertThat(pools.get("gpucanada").max()).isEqualTo(200);
        assertThat(pools.get("gpucanada").isSpot()).isTrue();
        assertThat(pools.get("fallcanada").isSpot()).isFalse();
    }

    /** The 200 pods of the article on kops fit on two machines of 110 pods each. The promised labels make the empty group match. */
    @Test
    void seed004_theLabelOfAnEmptyKopsGroupMatchesItsSelector() throws IOException {
        var plan = plan("kops", pods(200, "cpu: 1m", "gpu: 'true'", "trainyard.dev/tier: gpu-g2-2xlarge"));

        assertThat(targets(plan)).containsEntry("gpu-nodes", 2);
    }

    @Test
    void seed004_aBurstNeverAsksForMoreThanTheGroupsMaximum() throws IOException {
        var plan = plan("kops", pods(200, "nvidia.com/gpu: 1", "gpu: 'true'"));

        assertThat(targets(plan)).containsEntry("gpu-nodes", 10);
        assertThat(catalogue(runCase("kops").out()).pools().get("gpu-nodes").min())
                .isEqualTo(1);
    }

    @Test
    void seed000_onlyThePoolThatCanHostThePodGrows() throws IOException {
        assertThat(targets(plan("acs-engine", pods(2, "alpha.kubernetes.io/nvidia-gpu: 1", ""))))
                .containsEntry("agentpool2", 2)
                .extractingByKey("agentpool1", as(InstanceOfAssertFactories.INTEGER))
                .isLessThan(2);
        assertThat(targets(plan("acs-engine", pods(2, "cpu: 1500m", "", "trainyard.dev/tier: cpu-d2-v2"))))
                .containsOnly(entry("agentpool1", 2), entry("agentpool2", 0));
    }

    @Test
    void writesFilesButNeverOverOthers() throws IOException {
        var output = directory.resolve("yard").toString();
        var groups = GOLDEN.resolve("kops/groups.yaml").toString();

        assertThat(run("import", "kops", groups, "--output-dir", output)).satisfies(ended -> {
            assertThat(ended.exitCode()).isZero();
            assertThat(ended.out()).isEmpty();
        });
        assertThat(FileConfiguration.read(Path.of(output)).current().problems()).isEmpty();
        assertThat(run("import", "kops", groups, "--output-dir", output)).satisfies(ended -> {
            assertThat(ended.exitCode()).isEqualTo(1);
            assertThat(ended.err()).contains("already exists").hasLineCount(1);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "acs-engine | '{'                    | line 1: not JSON",
                "acs-engine | '{\"a\": 1}'           | properties.agentPoolProfiles: missing or empty",
                "acs-engine | '{\"parameters\": {}}' | no size of a pool's machines",
                "aks-engine | '{\"parameters\": {}}' | properties.agentPoolProfiles: missing or empty",
            })
    void aFileOfAnotherKindIsNamedInOneLine(String tool, String text, String explanation) throws IOException {
        var file = Files.writeString(directory.resolve("file"), text).toString();

        var ended = run(("import " + tool + " " + file + " " + AZURE).split(" "));

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err()).contains("file").contains(explanation).hasLineCount(1);
        assertThat(ended.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kops               | 'kind: [' | line 1: not YAML",
                "kops               | 'kind: Deployment' | no InstanceGroup found",
                "cluster-autoscaler | '--v=4'   | no group of machines found",
                "cluster-autoscaler | '{}'      | no group of machines found",
            })
    void aFileWithoutGroupsIsNamed(String tool, String text, String explanation) throws IOException {
        var file = Files.writeString(directory.resolve("file"), text).toString();

        var ended = run("import", tool, file);

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err()).contains("file").contains(explanation);
    }

    /** kops itself resolves YAML aliases. */
    @Test
    void anAliasStandsForWhatItsAnchorNames() throws IOException {
        var groups = GOLDEN.resolve("kops/groups.yaml");
        var text = Files.readString(groups)
                .replaceFirst("machineType: g2.2xlarge", "machineType: &machine g2.2xlarge")
                .replaceFirst("role: Node", "role: Node\n  mixedInstancesPolicy: {instances: [*machine]}");
        var plain = Files.readString(groups)
                .replaceFirst("role: Node", "role: Node\n  mixedInstancesPolicy: {instances: [g2.2xlarge]}");

        var aliased = run(
                "import",
                "kops",
                Files.writeString(directory.resolve("groups.yaml"), text).toString());
        var written = run(
                "import",
                "kops",
                Files.writeString(directory.resolve("groups.yaml"), plain).toString());

        assertThat(aliased.exitCode()).isZero();
        assertThat(aliased).isEqualTo(written);
    }

    @Test
    void aFieldThatIsThereTwiceIsRefusedWithItsLine() throws IOException {
        var file = Files.writeString(directory.resolve("groups.yaml"), "kind: InstanceGroup\nkind: Cluster\n");

        var ended = run("import", "kops", file.toString());

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err())
                .contains("groups.yaml, line 2: field 'kind' occurs twice, first in line 1")
                .hasLineCount(1);
    }

    @Test
    void asksForAllMissingOptionsAtOnce() throws IOException {
        var acs = GOLDEN.resolve("acs-engine/kubernetes.json").toString();
        assertThat(run("import", "acs-engine", acs, "--subscription-id", "0", "-g", "g")
                        .err())
                .contains("add --name-suffix", "properties.clusterID: missing")
                .doesNotContain("--subscription-id", "--resource-group");
        assertThat(run("import", "acs-engine", acs)).satisfies(ended -> {
            assertThat(ended.exitCode()).isEqualTo(2);
            assertThat(ended.out()).isEmpty();
            assertThat(ended.err()).contains("add --subscription-id", "add --resource-group", "add --name-suffix");
        });

        var group = "kind: InstanceGroup\nmetadata: {name: a}\nspec: {machineType: p3.2xlarge, subnets: [mine]}\n";
        var file = Files.writeString(directory.resolve("ig.yaml"), group).toString();
        assertThat(run("import", "kops", file)).satisfies(ended -> {
            assertThat(ended.exitCode()).isEqualTo(2);
            assertThat(ended.out()).isEmpty();
            assertThat(ended.err()).contains("add --cluster-name", "add --region");
        });
        assertThat(run("import", "kops", file, "--cluster-name", "c").err())
                .contains("add --region")
                .doesNotContain("--cluster-name");
        assertThat(run("import", "kops", file, "--cluster-name", "c", "--region", "eu-west-1")
                        .out())
                .contains("name: a.c", "region: eu-west-1");
    }

    @ParameterizedTest
    @CsvSource({"50, 50", "100, 100", "150, 100"})
    void boundsInFlagsRespectTheLimitOfAScaleSet(int inFlags, int max) throws IOException {
        var dump = GOLDEN.resolve("cluster-autoscaler-azure/vmss.json").toString();
        var flags = Files.writeString(
                directory.resolve("flags.txt"), "--nodes=0:%d:aks-gpuspot-31415926-vmss\n".formatted(inFlags));

        var ended = run("import", "cluster-autoscaler", flags.toString(), dump);

        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).contains("max: %d\n".formatted(max));
        assertThat(ended.err().lines().filter(line -> line.contains("singlePlacementGroup")))
                .as("the bounds in tags do not matter")
                .hasSize(inFlags > max ? 1 : 0)
                .allMatch(line -> line.endsWith("spec.max is 100, not 150"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[\"--nodes=0:7:aks-gpuspot-31415926-vmss\",\"--max-nodes-total=50\"]",
                "[\"--max-nodes-total=50\", \"--nodes=0:7:aks-gpuspot-31415926-vmss\"]",
                "args: ['--nodes=0:7:aks-gpuspot-31415926-vmss','--max-nodes-total','50']"
            })
    void readsFlagsInAListInBrackets(String list) throws IOException {
        var dump = GOLDEN.resolve("cluster-autoscaler-azure/vmss.json").toString();
        var flags = Files.writeString(directory.resolve("flags.txt"), list);

        var ended = run("import", "cluster-autoscaler", flags.toString(), dump);

        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).contains("max: 7\n");
        assertThat(ended.err()).contains("flags.txt: --max-nodes-total: 50: left out");
    }

    @Test
    void reportsABadNumberOfPodsWhereItIsStated() throws IOException {
        var text = Files.readString(GOLDEN.resolve("aks-engine-per-pool/apimodel.json"));
        var ofCluster = Files.writeString(
                directory.resolve("cluster.json"),
                text.replace("{\"--system-reserved\"", "{\"--max-pods\": \"many\", \"--system-reserved\""));
        var ofPool = Files.writeString(
                directory.resolve("pool.json"), text.replace("\"--max-pods\": \"50\"", "\"--max-pods\": \"many\""));

        assertThat(remarksOnPods(ofCluster))
                .singleElement()
                .asString()
                .contains("properties.orchestratorProfile.kubernetesConfig.kubeletConfig.--max-pods: many");
        assertThat(remarksOnPods(ofPool))
                .singleElement()
                .asString()
                .contains("properties.agentPoolProfiles[1].kubernetesConfig.kubeletConfig.--max-pods: many");
    }

    private static List<String> remarksOnPods(Path file) {
        return run("import", "aks-engine", file.toString(), "--subscription-id", "0", "-g", "training")
                .err()
                .lines()
                .filter(line -> line.contains("--max-pods"))
                .toList();
    }

    @Test
    void leavesOutKopsGroupsOfKarpenter() throws IOException {
        var groups = """
                kind: InstanceGroup
                metadata: {name: batch, labels: {kops.k8s.io/cluster: c}}
                spec: {role: Node, manager: Karpenter, subnets: [eu-west-1a]}
                ---
                kind: InstanceGroup
                metadata: {name: gpu, labels: {kops.k8s.io/cluster: c}}
                spec: {role: Node, manager: CloudGroup, machineType: p3.2xlarge, subnets: [eu-west-1a], instanceProtection: true}
                """;
        var file = Files.writeString(directory.resolve("ig.yaml"), groups).toString();

        var ended = run("import", "kops", file);

        assertThat(ended.exitCode()).isZero();
        assertThat(ended.err())
                .isEqualToIgnoringNewLines(
                        "ig.yaml: InstanceGroup batch: spec.manager: Karpenter: group left out: Karpenter launches its machines,"
                                + " without an Auto Scaling group; set manager to CloudGroup to import the group");
        assertThat(ended.out()).contains("name: gpu.c").doesNotContain("batch");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gce | e2-medium | us-central1",
                "azure | Standard_B2s | eastus",
                "openstack | m1.large | nova",
                "hetzner | cpx31 | fsn1",
                "scaleway | DEV1-M | fr-par-1",
                "digitalocean | s-2vcpu-4gb | nyc1"
            })
    void kopsClusterOfAnotherCloudIsRefused(String cloud, String machineType, String subnet) throws IOException {
        var cluster =
                "kind: Cluster\nmetadata: {name: c}\nspec: {cloudProvider: %s, subnets: [{name: %s, region: %s}]}\n---\n"
                        .formatted(cloud, subnet, subnet);
        var group =
                "kind: InstanceGroup\nmetadata: {name: a, labels: {kops.k8s.io/cluster: c}}\nspec: {role: Node, machineType: %s, subnets: [%s]}\n"
                        .formatted(machineType, subnet);
        var inBothVersions = List.of(cluster, cluster.replace(cloud + ",", "{%s: {project: p}},".formatted(cloud)));

        for (var text : inBothVersions) {
            var file = Files.writeString(directory.resolve("all.yaml"), text + group)
                    .toString();
            for (var region : List.of("", " --region eu-west-1")) {
                var ended = run(("import kops " + file + region).split(" "));

                assertThat(ended.exitCode()).isEqualTo(1);
                assertThat(ended.out()).isEmpty();
                assertThat(ended.err())
                        .isEqualToIgnoringNewLines(
                                "trainyard: all.yaml: Cluster c: spec: cloudProvider %s: only clusters on AWS can be imported"
                                        .formatted(cloud));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"e2-medium, us-central1", "Standard_B2s, eastus", "cpx31, fsn1", "DEV1-M, fr-par-1"})
    void kopsGroupWithMachinesOfAnotherCloudIsLeftOutWithoutItsCluster(String machineType, String subnet)
            throws IOException {
        var group = "kind: InstanceGroup\nmetadata: {name: a}\nspec: {role: Node, machineType: %s, subnets: [%s]}\n"
                .formatted(machineType, subnet);
        var file = Files.writeString(directory.resolve("ig.yaml"), group).toString();

        for (var options : List.of("", " --region eu-west-1 --cluster-name c")) {
            var ended = run(("import kops " + file + options).split(" "));

            assertThat(ended.exitCode()).isEqualTo(1);
            assertThat(ended.err())
                    .isEqualToIgnoringNewLines(
                            "ig.yaml: InstanceGroup a: spec.machineType: %s: group left out: not an instance type of AWS; only clusters on AWS can be imported"
                                    .formatted(machineType));
        }
    }

    @Test
    void kopsSubnetWithoutAZoneIsNoEmptyZone() throws IOException {
        var text = """
                kind: Cluster
                metadata: {name: c}
                spec: {cloudProvider: aws, subnets: [{name: eu-west-1a}, {name: mine}]}
                ---
                kind: InstanceGroup
                metadata: {name: a}
                spec: {role: Node, machineType: p3.2xlarge, subnets: [eu-west-1a], zones: ["", eu-west-1a], instanceProtection: true}
                ---
                kind: InstanceGroup
                metadata: {name: b}
                spec: {role: Node, machineType: p3.2xlarge, subnets: [mine], instanceProtection: true}
                """;
        var file = Files.writeString(directory.resolve("all.yaml"), text).toString();

        assertThat(run("import", "kops", file).err())
                .contains("add --region", "InstanceGroup b: spec.subnets: [mine] are not zones of one region");
        assertThat(run("import", "kops", file, "--region", "eu-west-1").out())
                .contains("topology.kubernetes.io/zone: eu-west-1a");
    }

    @Test
    void readsTheArrayThatKopsPrintsAsJson() throws IOException {
        var groups = """
                [null, {"kind": "InstanceGroup", "metadata": {"name": "gpu", "labels": {"kops.k8s.io/cluster": "c"}},
                 "spec": {"role": "Node", "machineType": "p3.2xlarge", "subnets": ["eu-west-1a"], "instanceProtection": true}}]
                """;
        var file = Files.writeString(directory.resolve("ig.json"), groups).toString();

        var ended = run("import", "kops", file);

        assertThat(ended.exitCode()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).contains("name: gpu.c");
    }

    @Test
    void readsAllAwsGroupListsThoughTheirFilesHaveTheSameName() throws IOException {
        var group = """
                {"AutoScalingGroups": [{"AutoScalingGroupName": "%s", "LaunchConfigurationName": "gpu", "MinSize": 0, "MaxSize": 2,
                 "DesiredCapacity": 0, "AvailabilityZones": ["eu-west-1a"], "NewInstancesProtectedFromScaleIn": true,
                 "Tags": [{"Key": "k8s.io/cluster-autoscaler/enabled", "Value": "true"}]}],
                 "LaunchConfigurations": [{"LaunchConfigurationName": "gpu", "InstanceType": "p3.2xlarge"}]}
                """;
        var files = new ArrayList<>(List.of("import", "cluster-autoscaler"));
        for (var region : List.of("one", "two")) {
            var file = Files.createDirectories(directory.resolve(region)).resolve("groups.json");
            files.add(Files.writeString(file, group.formatted("gpu-" + region)).toString());
        }

        assertThat(run(files.toArray(String[]::new)).out()).contains("name: gpu-one", "name: gpu-two");
    }

    @Test
    void whenNoPoolCanBeUsedThatIsAFailureAndNothingIsLost() throws IOException {
        var group = """
                kind: InstanceGroup
                metadata: {name: odd, labels: {kops.k8s.io/cluster: c}}
                spec: {machineType: p9.large, subnets: [eu-west-1a], nodeLabels: {gpu: "true"}, instanceProtection: true}
                """;
        var file = Files.writeString(directory.resolve("ig.yaml"), group).toString();

        var ended = run("import", "kops", file);

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.out().lines()).allMatch(line -> line.startsWith("#"));
        assertThat(ended.out()).contains("#     instanceType: p9.large", "#       gpu: \"true\"");
        assertThat(ended.err()).contains("'p9.large' is not a known machine size");
    }

    /** In the documentation, brackets enclose optional arguments. */
    @Test
    void theDocumentedCommandsAreUnderstood() throws IOException {
        var commands = Files.readString(ROOT.resolve("docs/importing.md"))
                .lines()
                .filter(line -> line.startsWith("./trainyard "))
                .map(line -> line.replaceFirst("\\s+#.*", "").replaceAll("[\\[\\]]", ""))
                .toList();

        assertThat(commands).hasSizeGreaterThan(4).allSatisfy(command -> {
            var words = command.split("\\s+", 0);
            Main.commandLine().parseArgs(Arrays.copyOfRange(words, 1, words.length));
        });
    }

    @Test
    void aWrongCallEndsWithTwo() {
        assertThat(run("import").err()).contains("acs-engine, aks-engine, kops, cluster-autoscaler");
        assertThat(run("import").exitCode()).isEqualTo(2);
        assertThat(run("import", "kops").exitCode()).isEqualTo(2);
    }

    private Ended runCase(String name) throws IOException {
        var arguments = new ArrayList<String>(List.of("import"));
        var folder = GOLDEN.resolve(name);
        for (var word :
                Files.readString(folder.resolve("arguments.txt")).strip().split("\\s+", 0)) {
            arguments.add(
                    Files.exists(folder.resolve(word)) ? folder.resolve(word).toString() : word);
        }
        return run(arguments.toArray(String[]::new));
    }

    private static Catalogue catalogue(String yaml) throws IOException {
        var file = Files.createTempFile("objects", ".yaml");
        try {
            Files.writeString(file, yaml);
            return FileConfiguration.of(ResourceFiles.read(file)).current();
        } finally {
            Files.delete(file);
        }
    }

    /** Returns the scaler's plan for these pods with the imported pools and tiers. */
    private JsonNode plan(String name, String pods) throws IOException {
        var resources = Files.createDirectories(directory.resolve("resources"));
        Files.writeString(resources.resolve("imported.yaml"), runCase(name).out());
        Files.writeString(resources.resolve("pods.yaml"), pods);
        var ended = run("plan", "--resources", resources.toString(), "--now", "2026-01-31T12:00:00Z", "-o", "json");
        assertThat(ended.err()).isEmpty();
        return json(ended.out());
    }

    private static JsonNode json(String text) throws JsonProcessingException {
        return new ObjectMapper().readTree(text);
    }

    /** Returns the target sizes of the pools, by name. */
    private static Map<String, Integer> targets(JsonNode plan) {
        var targets = new TreeMap<String, Integer>();
        plan.path("pools")
                .forEach(pool -> targets.put(
                        pool.path("name").asText(), pool.path("target").asInt()));
        return targets;
    }

    private static String pods(int count, String limits, String selector, String... annotations) {
        var pods = new StringBuilder();
        for (int i = 1; i <= count; i++) {
            pods.append("""
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: train-%d, namespace: default, annotations: {%s}}
                    spec:
                      nodeSelector: {%s}
                      containers: [{name: a, image: a, resources: {limits: {%s}}}]
                    ---
                    """.formatted(i, String.join(", ", annotations), selector, limits));
        }
        return pods.toString();
    }

    private static Ended run(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        int exitCode = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
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
