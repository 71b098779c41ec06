package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.cli.Main;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.workshop.cluster.Kubectl;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The chart, rendered by Helm, equals the kustomizations, and reports invalid values. */
@WithControlPlane
@Tag("install")
@ResourceLock(WithControlPlane.CLUSTER)
class ChartIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path MANIFESTS = ROOT.resolve("manifests");
    private static final String IMAGE = "image.repository=trainyard";
    private static final ObjectMapper SORTED = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, SerializationFeature.INDENT_OUTPUT)
            .build();

    private static Helm helm;
    private static String version;

    @BeforeAll
    static void find(ControlPlane controlPlane) {
        helm = Helm.find();
        version = controlPlane.version().full();
    }

    @ParameterizedTest
    @CsvSource({
        "overlays/azure, cloud=azure azure.identity=servicePrincipal",
        "overlays/aws,   cloud=aws aws.identity=keys",
        "base,           cloud=none"
    })
    void isWhatTheKustomizationIs(String kustomization, String values, ControlPlane controlPlane) {
        assertSame(kustomize(controlPlane, MANIFESTS.resolve(kustomization)), render(values + " crds.keep=false"));
    }

    @Test
    void hasWorkloadIdentityAsTheGuideDoesIt(ControlPlane controlPlane, @TempDir Path directory) throws IOException {
        var overlay = DocumentedCommands.yaml("installing.md", "With kustomize");
        var up = directory.toRealPath().relativize(MANIFESTS.toRealPath());
        Files.writeString(
                directory.resolve("kustomization.yaml"),
                overlay.replaceAll("(?s)images:.*?patches:", "patches:").replace("../manifests", up.toString()));

        assertSame(
                kustomize(controlPlane, directory),
                render("crds.keep=false cloud=azure azure.identity=workload"
                        + " azure.clientId=00000000-0000-0000-0000-000000000000"));
    }

    @ParameterizedTest
    @CsvSource({
        "base,           kwok-provider,             cloud=none kwok=true",
        "base,           gang-owners,               cloud=none gangOwners=true",
        "base,           service-monitor,           cloud=none serviceMonitor.enabled=true",
        "overlays/azure, azure-notices,             cloud=azure azure.identity=servicePrincipal azureNotices.enabled=true",
        "base,           scheduler-profile-plugins, cloud=none scheduler.profile=plugins",
        "overlays/azure, scheduler-profile-plugins, cloud=azure azure.identity=servicePrincipal scheduler.profile=plugins"
    })
    void hasTheComponents(
            String kustomization, String component, String values, ControlPlane controlPlane, @TempDir Path directory)
            throws IOException {
        var up = directory.toRealPath().relativize(MANIFESTS.toRealPath());
        Files.writeString(directory.resolve("kustomization.yaml"), """
                resources: [%1$s/%2$s]
                components: [%1$s/components/%3$s]
                """.formatted(up, kustomization, component));

        assertSame(kustomize(controlPlane, directory), render(values + " crds.keep=false"));
    }

    @Test
    void leavesOnlyThePolicyOfTheExtenderWithTheProfileWithoutIt() {
        var rendered = render("cloud=none scheduler.profile=plugins");

        assertThat(rendered.objects().keySet())
                .filteredOn(name -> name.contains("extender"))
                .isNotEmpty()
                .allMatch(name -> name.startsWith("ValidatingAdmissionPolicy"));
        assertThat(rendered.objects()
                        .get("Deployment trainyard-system/trainyard-scheduler")
                        .at("/spec/template/spec")
                        .toString())
                .doesNotContain("extender", "trainyard/tls", "initContainers");
        assertThat(flags(rendered)).hasSize(2);
    }

    /** Renders the chart with all optional values set. */
    @Test
    void isTakenByTheApiServerAsItIs(ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory)
            throws IOException {
        RegisteredWebhook.install(client);
        var file = directory.resolve("rendered.yaml");
        Files.writeString(
                file,
                helm.render(
                        version,
                        Names.NAMESPACE,
                        List.of(
                                IMAGE,
                                "cloud=azure",
                                "azure.identity=managed",
                                "azure.clientId=6b3a51f0-9f6c-4a52-a4f4-1f5a4f1bb0c1",
                                "kwok=true",
                                "gangOwners=true",
                                "azureNotices.enabled=true",
                                "image.digest=sha256:" + "0".repeat(64),
                                "image.pullSecrets={registry}",
                                "webhook.gpuAliases={example.com/gpu}",
                                "nodeSelector.system=yes,tolerations[0].key=system,tolerations[0].operator=Exists",
                                "extender.policy=pack",
                                "scaler.scanInterval=30s,scaler.batchWindow=1s,scaler.priorityCutoff=0,scaler.dryRun=true")));

        var result = new Kubectl(controlPlane, ROOT)
                .run(
                        "apply",
                        "--server-side",
                        "--force-conflicts",
                        "--dry-run=server",
                        "--validate=strict",
                        "-f",
                        file.toString());

        assertThat(result.succeeded()).as(result.output()).isTrue();
        assertThat(result.output()).doesNotContain("Warning");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cloud=none",
                "cloud=azure azure.identity=workload azure.clientId=6b3a51f0-9f6c-4a52-a4f4-1f5a4f1bb0c1",
                "cloud=aws aws.identity=irsa aws.roleArn=arn:aws:iam::123456789012:role/trainyard",
                "cloud=none webhook.gpuAliases={example.com/gpu,example.com/other}",
                "cloud=none extender.policy=spread",
                "cloud=none scaler.scanInterval=1m30s scaler.batchWindow=0s scaler.priorityCutoff=-5 scaler.dryRun=true"
            })
    void givesComponentsFlagsThatTheyKnow(String values) {
        assertThat(flags(render(values))).hasSize(3);
        if (!values.equals("cloud=none")) {
            assertThat(render(values).objects())
                    .isNotEqualTo(render("cloud=none").objects());
        }
    }

    @Test
    void isForAnyNamespace() {
        assertThat(helm.render(version, "training", List.of(IMAGE, "cloud=azure", "azure.identity=managed")))
                .doesNotContain(Names.NAMESPACE)
                .contains("system:serviceaccount:training:trainyard-scheduler")
                .contains("--dns-name=trainyard-webhook.training.svc");
    }

    @Test
    void asksForTheSchedulerOfTheClustersVersion() {
        assertThat(helm.render("1.33.4-eks-2d5f260", Names.NAMESPACE, List.of(IMAGE, "cloud=none")))
                .contains("image: registry.k8s.io/kube-scheduler:v1.33.4\n");
    }

    @Test
    void keepsPoolsAndTiersWhenItGoesUnlessToldOtherwise() {
        assertThat(render("cloud=none").ofKind("CustomResourceDefinition"))
                .hasSize(3)
                .allSatisfy(definition -> assertThat(definition.at("/metadata/annotations/helm.sh~1resource-policy"))
                        .hasToString("\"keep\""));
        assertThat(render("cloud=none crds.install=false").ofKind("CustomResourceDefinition"))
                .isEmpty();
    }

    /** Uses its own control plane, because it removes objects that other tests may need. */
    @Test
    void isInstalledUpgradedAndRemovedAsTheGuideSays() throws IOException {
        var options = ControlPlaneOptions.defaults().withParentDirectory(Path.of("target", "chart"));
        try (var own = ControlPlane.start(options, step -> {});
                var client = own.client()) {
            var kubectl = new Kubectl(own, ROOT);
            var before = InstalledTraces.in(kubectl);
            DocumentedCommands.run(
                    DocumentedCommands.commands("installing.md", "With Helm").get(0), own, ROOT, helm.program());
            kubectl.succeed("apply", "-f", "manifests/examples/pools.yaml", "-f", "manifests/examples/tiers.yaml");
            var bundle = bundle(client);

            var upgrade = DocumentedCommands.commands("upgrading.md", "Upgrading")
                    .get(1)
                    .strip();
            DocumentedCommands.run(upgrade + " --set scaler.replicas=3", own, ROOT, helm.program());
            assertThat(client.apps()
                            .deployments()
                            .inNamespace(Names.NAMESPACE)
                            .withName("trainyard-scaler")
                            .get()
                            .getSpec()
                            .getReplicas())
                    .isEqualTo(3);
            assertThat(registration(client)
                            .get()
                            .getWebhooks()
                            .get(0)
                            .getClientConfig()
                            .getCaBundle())
                    .as("what the webhook wrote")
                    .isEqualTo(bundle);

            var removal = DocumentedCommands.commands("upgrading.md", "Removing").stream()
                    .filter(block -> block.startsWith("helm "))
                    .findFirst()
                    .orElseThrow();
            var uninstall = removal.lines().findFirst().orElseThrow();
            DocumentedCommands.run(uninstall, own, ROOT, helm.program());
            DocumentedCommands.run(
                    DocumentedCommands.commands("installing.md", "With Helm").get(0), own, ROOT, helm.program());
            DocumentedCommands.run(uninstall, own, ROOT, helm.program());
            assertThat(kubectl.succeed("get", "trainingpools", "--output=name").lines())
                    .as("kept with their definitions")
                    .hasSize(5);
            DocumentedCommands.run(removal.lines().skip(1).collect(Collectors.joining("\n")), own, ROOT);
            TrainingGround.awaitTrue("what it was is gone", () -> {
                var left = InstalledTraces.in(kubectl);
                left.removeAll(before);
                return left.isEmpty();
            });
        }
    }

    private static String bundle(KubernetesClient client) throws IOException {
        var pem = Files.readAllBytes(ROOT.resolve("cli/src/test/resources/certs/ca.crt"));
        var bundle = Base64.getEncoder().encodeToString(pem);
        registration(client).edit(found -> {
            found.getWebhooks().forEach(webhook -> webhook.getClientConfig().setCaBundle(bundle));
            return found;
        });
        return bundle;
    }

    private static Resource<MutatingWebhookConfiguration> registration(KubernetesClient client) {
        return client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard");
    }

    /** Expects one line for each error, with the field and the expected value. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "image.tag=v1                                    | at '': missing property 'cloud'",
                "cloud=gcp                                       | at '/cloud': value must be one of 'azure', 'aws', 'none'",
                "cloud=azure                                     | at '/azure/identity': value must be one of 'workload', 'servicePrincipal', 'managed'",
                "cloud=azure azure.identity=workload             | at '/azure': missing property 'clientId'",
                "cloud=azure azure.identity=secret               | at '/azure/identity': value must be one of 'workload', 'servicePrincipal', 'managed'",
                "cloud=azure azure.identity=workload azure.clientId=me | at '/azure/clientId': 'me' does not match pattern",
                "cloud=aws                                       | at '/aws/identity': value must be one of 'irsa', 'podIdentity', 'keys', 'machine'",
                "cloud=none aws.identity=role                    | at '/aws/identity': value must be one of '', 'irsa', 'podIdentity', 'keys', 'machine'",
                "cloud=aws aws.identity=irsa                     | at '/aws': missing property 'roleArn'",
                "cloud=aws aws.identity=irsa aws.roleArn=r       | at '/aws/roleArn': 'r' does not match pattern",
                "cloud=none image.repository=host/image:1        | at '/image/repository': 'host/image:1' does not match pattern",
                "cloud=none image.pullPolicy=always              | at '/image/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'",
                "cloud=none webhook.replicas=0                   | at '/webhook/replicas': minimum: got 0, want 1",
                "cloud=none scaler.replicas=two                  | at '/scaler/replicas': got string, want integer",
                "cloud=none scaler.replica=3                     | at '/scaler': additional properties 'replica' not allowed",
                "cloud=none webook.replicas=3                    | at '': additional properties 'webook' not allowed",
                "cloud=none scaler.scanInterval=10               | at '/scaler/scanInterval': got number, want string",
                "cloud=none scaler.scanInterval=0s               | at '/scaler/scanInterval': '0s' does not match pattern",
                "cloud=none scaler.scanInterval=99999999999s     | at '/scaler/scanInterval': '99999999999s' does not match pattern",
                "cloud=none scaler.batchWindow=1d                | at '/scaler/batchWindow': '1d' does not match pattern",
                "cloud=none scaler.batchWindow=10x               | at '/scaler/batchWindow': '10x' does not match pattern",
                "cloud=none scaler.priorityCutoff=low            | at '/scaler/priorityCutoff': got string, want integer",
                "cloud=none scaler.priorityCutoff=99999999999    | at '/scaler/priorityCutoff': maximum",
                "cloud=none image.pullSecrets={A_B}              | at '/image/pullSecrets/0': 'A_B' does not match pattern",
                "cloud=none priorityClassName=a_b                | at '/priorityClassName': 'a_b' does not match pattern",
                "cloud=none scheduler.image.tag=v1.12.0          | at '/scheduler/image/tag': 'v1.12.0' does not match pattern",
                "cloud=none serviceMonitor.namespace=A           | at '/serviceMonitor/namespace': 'A' does not match pattern",
                "cloud=none scaler.dryRun=maybe                  | at '/scaler/dryRun': got string, want boolean",
                "cloud=none extender.policy=random               | at '/extender/policy': value must be one of 'fragmentation', 'pack', 'spread'",
                "cloud=none webhook.gpuAliases={gpu}             | at '/webhook/gpuAliases/0': 'gpu' does not match pattern",
                "cloud=none scheduler.image.tag=latest           | at '/scheduler/image/tag': 'latest' does not match pattern",
                "cloud=none scaler.resources.limits.memory=1GB   | at '/scaler/resources/limits/memory': '1GB' does not match pattern",
                "cloud=none scaler.resources.limit.memory=1Gi    | at '/scaler/resources': additional properties 'limit' not allowed",
                "cloud=none serviceMonitor.enabled=yes           | at '/serviceMonitor/enabled': got string, want boolean",
                "cloud=none scheduler.profile=none               | at '/scheduler/profile': value must be one of 'extender', 'plugins'",
                "cloud=none azureNotices.enabled=1               | at '/azureNotices/enabled': got number, want boolean",
                "cloud=none azureNotices.image=curl              | at '/azureNotices/image': 'curl' does not match pattern",
                "cloud=none kwok=1                               | at '/kwok': got number, want boolean",
                "cloud=none gangOwners=yes                       | at '/gangOwners': got string, want boolean",
            })
    void saysInALineWhatIsWrongWithAValue(String values, String line) {
        var all = new ArrayList<>(List.of(IMAGE));
        all.addAll(Arrays.asList(values.split(" ")));
        var result = helm.template(version, Names.NAMESPACE, all);

        assertThat(result.exitCode()).isNotZero();
        assertThat(result.output().lines().filter(said -> !said.isBlank()))
                .hasSize(3)
                .startsWith(
                        "Error: values don't meet the specifications of the schema(s) in the following chart(s):",
                        "trainyard:")
                .last()
                .asString()
                .startsWith("- " + line);
    }

    static List<String> values() throws IOException {
        var values =
                new YAMLMapper().readTree(MANIFESTS.resolve("chart/values.yaml").toFile());
        return values.properties().stream()
                .flatMap(section -> Stream.concat(
                        Stream.of(section.getKey()),
                        section.getValue().properties().stream().map(value -> section.getKey() + "." + value.getKey())))
                .toList();
    }

    /** Sets the value to null, as in a file where all lines below a key are commented out. */
    @ParameterizedTest
    @MethodSource("values")
    void saysInALineThatAValueIsEmptyOrDoesWithoutIt(String value) {
        var result = helm.template(version, Names.NAMESPACE, List.of(IMAGE, "cloud=none", value + "=null"));

        if (result.exitCode() == 0) {
            assertThat(flags(Rendered.of(result.output()))).hasSize(3);
        } else {
            assertThat(result.output().lines().filter(line -> line.startsWith("- at")))
                    .singleElement()
                    .asString()
                    .contains("missing property '%s'".formatted(value.replaceFirst(".*\\.", "")));
        }
    }

    /** Errors that the schema cannot detect. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "trainyard-system | webhook.resources.limits.memory=64Mi | webhook.resources.limits.memory: 64Mi, expected at least webhook.resources.requests.memory, which is 256Mi",
                "trainyard-system | scaler.resources.requests.memory=2G  | scaler.resources.limits.memory: 1Gi, expected at least scaler.resources.requests.memory, which is 2G",
                "trainyard-system | scheduler.image.tag=v1.99.0          | scheduler.image.tag: 'v1.99.0', expected the minor version of the cluster",
                "trainyard-system | azureNotices.enabled=true            | azureNotices.enabled: true, expected false, because cloud is 'none'",
                "trainyard-system | scheduler.profile=plugins extender.policy=pack | extender.policy: 'pack', expected no value",
                "default          | kwok=true                            | namespace: 'default', expected a namespace for Trainyard alone, such as trainyard-system",
                "kube-system      | kwok=true                            | namespace: 'kube-system', expected a namespace for Trainyard alone, such as trainyard-system",
            })
    void saysInALineWhatDoesNotGoTogether(String namespace, String values, String line) {
        var all = new ArrayList<>(List.of(IMAGE, "cloud=none"));
        all.addAll(Arrays.asList(values.split(" ")));
        var result = helm.template(version, namespace, all);

        assertThat(result.exitCode()).isNotZero();
        assertThat(result.output().lines().findFirst().orElseThrow())
                .startsWith("Error: execution error at (trainyard/templates/refused.yaml")
                .contains("): " + line);
    }

    @Test
    void namesStayTexts() {
        assertThat(render("cloud=none image.pullSecrets={yes}").ofKind("Deployment"))
                .hasSize(3)
                .allSatisfy(deployment -> assertThat(deployment.at("/spec/template/spec/imagePullSecrets/0/name"))
                        .hasToString("\"yes\""));
    }

    @Test
    void metricsAreForThePrometheusThatThereIs() {
        var rendered = render("cloud=none serviceMonitor.enabled=true serviceMonitor.labels.release=stack"
                + " serviceMonitor.namespace=prometheus");

        assertThat(rendered.objects()
                        .get("ServiceMonitor trainyard-system/trainyard")
                        .at("/metadata/labels"))
                .hasToString("{\"app.kubernetes.io/name\":\"trainyard\",\"release\":\"stack\"}");
        assertThat(rendered.objects()
                        .get("NetworkPolicy trainyard-system/trainyard-metrics")
                        .at("/spec/ingress/0/from/0/namespaceSelector/matchLabels"))
                .hasToString("{\"kubernetes.io/metadata.name\":\"prometheus\"}");
    }

    @Test
    void saysAllThatIsWrongAtOnce() {
        var result = helm.template(version, Names.NAMESPACE, List.of("cloud=aws,webhook.replicas=0,kwok=x"));

        assertThat(result.output().lines().filter(line -> line.startsWith("- at")))
                .hasSize(4);
    }

    /** Returns the flags of each component. Fails if a component would reject them. */
    private static List<List<String>> flags(Rendered rendered) {
        var flags = new ArrayList<List<String>>();
        for (var deployment : rendered.ofKind("Deployment")) {
            for (var container : Rendered.containers(deployment)) {
                if (!container.path("name").asText().equals("kube-scheduler")) {
                    var arguments = Rendered.arguments(container);
                    Main.commandLine().parseArgs(arguments.toArray(String[]::new));
                    flags.add(arguments);
                }
            }
        }
        return flags;
    }

    private static Rendered render(String values) {
        var all = new ArrayList<>(List.of(IMAGE));
        all.addAll(Arrays.asList(values.split(" ")));
        return Rendered.of(helm.render(version, Names.NAMESPACE, all));
    }

    private static Rendered kustomize(ControlPlane controlPlane, Path kustomization) {
        return Rendered.of(new Kubectl(controlPlane, ROOT).succeed("kustomize", kustomization.toString()));
    }

    private static void assertSame(Rendered kustomized, Rendered rendered) {
        var expected = kustomized.comparable().objects();
        var actual = rendered.comparable().objects();
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        actual.forEach((name, object) -> assertThat(sorted(object)).as(name).isEqualTo(sorted(expected.get(name))));
    }

    private static String sorted(ObjectNode object) {
        try {
            return SORTED.writeValueAsString(SORTED.convertValue(object, Object.class));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
