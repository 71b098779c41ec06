package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.cli.Main;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.workshop.cluster.Kubectl;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The objects of {@code kubectl apply -k}: a real API server accepts them unchanged, and pods are confined and on the right nodes. */
@WithControlPlane
@Tag("install")
@ResourceLock(WithControlPlane.CLUSTER)
class ManifestsIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final String OURS = "manifests-it";
    private static final Map<String, String> PLAIN = Map.of();
    private static final String ZONE = "topology.kubernetes.io/zone";

    /** One label of each kind that identifies GPU and spot nodes. */
    private static final List<Map<String, String>> FOR_TRAINING = List.of(
            Map.of("gpu", "true"),
            Map.of("accelerator", "nvidia"),
            Map.of("k8s.amazonaws.com/accelerator", "nvidia-tesla-v100"),
            Map.of("kubernetes.azure.com/accelerator", "nvidia"),
            Map.of("nvidia.com/gpu.present", "true"),
            Map.of("kubernetes.azure.com/scalesetpriority", "spot"),
            Map.of("eks.amazonaws.com/capacityType", "SPOT"),
            Map.of("karpenter.sh/capacity-type", "spot"),
            Map.of("node.kubernetes.io/lifecycle", "spot"));

    private final List<HasMetadata> made = new ArrayList<>();

    static List<String> kustomizations() throws IOException {
        try (var overlays = Files.list(ROOT.resolve("manifests/overlays"))) {
            return Stream.concat(Stream.of("base"), overlays.map(overlay -> "overlays/" + overlay.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @AfterEach
    void remove(KubernetesClient client) {
        made.forEach(object -> client.resource(object).withGracePeriod(0).delete());
    }

    @ParameterizedTest
    @MethodSource("kustomizations")
    void isTakenByTheApiServerAsItIs(String kustomization, ControlPlane controlPlane, KubernetesClient client)
            throws IOException {
        RegisteredWebhook.install(client);

        var result = new Kubectl(controlPlane, ROOT)
                .run(
                        "apply",
                        "--server-side",
                        "--force-conflicts",
                        "--dry-run=server",
                        "--validate=strict",
                        "-k",
                        "manifests/" + kustomization);

        assertThat(result.succeeded()).as(result.output()).isTrue();
        assertThat(result.output())
                .doesNotContain("Warning")
                .contains(
                        "customresourcedefinition.apiextensions.k8s.io/trainingpools.trainyard.dev serverside-applied");
    }

    @ParameterizedTest
    @MethodSource("kustomizations")
    void podsAreConfinedAsTheNamespaceDemands(
            String kustomization, ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        restrict(client, namespace);
        var name = namespace.getMetadata().getName();
        assertThatThrownBy(() -> client.pods()
                        .inNamespace(name)
                        .resource(unconfined())
                        .dryRun()
                        .create())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("violates PodSecurity \"restricted");

        for (var deployment : deployments(kustomization, controlPlane, client)) {
            var template = deployment.getSpec().getTemplate();
            var pod = client.pods()
                    .inNamespace(name)
                    .resource(new PodBuilder()
                            .withMetadata(new ObjectMetaBuilder(template.getMetadata())
                                    .withName("probe")
                                    .build())
                            .withSpec(template.getSpec())
                            .editSpec()
                            .withServiceAccountName("default")
                            .endSpec()
                            .build())
                    .dryRun()
                    .create();
            assertThat(containers(pod))
                    .as(deployment.getMetadata().getName())
                    .allSatisfy(container -> assertThat(
                                    container.getSecurityContext().getReadOnlyRootFilesystem())
                            .isTrue());
        }
    }

    @ParameterizedTest
    @MethodSource("kustomizations")
    void componentsKnowTheirFlags(String kustomization, ControlPlane controlPlane) {
        var components = new HashSet<String>();
        for (var deployment : render(kustomization, controlPlane).ofKind("Deployment")) {
            for (var container : Rendered.containers(deployment)) {
                var arguments = Rendered.arguments(container);
                if (container.path("name").asText().equals("kube-scheduler")) {
                    assertSchedulerTakes(arguments, controlPlane);
                } else {
                    Main.commandLine().parseArgs(arguments.toArray(String[]::new));
                    assertThat(arguments.get(0))
                            .isEqualTo(container.path("name").asText());
                    components.add(arguments.get(0));
                }
            }
        }
        assertThat(components).containsExactlyInAnyOrder("webhook", "extender", "scaler");
    }

    /** Checks jobs, pools and tiers. A warning of kubectl also counts as an error in an example. */
    @Test
    void examplesAreTakenByTheApiServerAsTheyAre(
            ControlPlane controlPlane, KubernetesClient client, Namespace namespace) throws IOException {
        RegisteredWebhook.install(client);
        try (var examples = Files.walk(ROOT.resolve("manifests/examples"))) {
            for (var example : examples.filter(Files::isRegularFile).toList()) {
                var result = new Kubectl(controlPlane, ROOT)
                        .run(
                                "create",
                                "--dry-run=server",
                                "--validate=strict",
                                "--namespace=" + namespace.getMetadata().getName(),
                                "-f",
                                example.toString());

                assertThat(result.succeeded())
                        .as("%s: %s", example, result.output())
                        .isTrue();
                assertThat(result.output()).as("%s", example).doesNotContain("Warning");
            }
        }
    }

    /**
     * Checks the nodes of two replicas of each kind of pod. They are never training nodes. If ordinary nodes exist, the replicas use
     * different ones, otherwise a CPU pool's node, and otherwise a control plane node.
     */
    @Test
    void podsRunOnOrdinaryMachinesOnly(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        for (int index = 0; index < FOR_TRAINING.size(); index++) {
            node(client, "training-" + index, FOR_TRAINING.get(index));
        }
        node(client, "pool", Map.of(Names.POOL, "cpu"));
        node(client, "ordinary-0", PLAIN);
        node(client, "ordinary-1", PLAIN);
        for (var deployment : deployments("base", controlPlane, client)) {
            assertThat(nodesOf(client, start(client, namespace, deployment)))
                    .as(deployment.getMetadata().getName())
                    .containsExactlyInAnyOrder("ordinary-0", "ordinary-1");
        }
        client.nodes().withName("ordinary-0").delete();
        client.nodes().withName("ordinary-1").delete();
        for (var deployment : deployments("base", controlPlane, client)) {
            var moved = start(client, namespace, deployment, "-on-pool");
            assertThat(nodesOf(client, moved)).containsExactlyInAnyOrder("pool", "pool");
        }
        client.nodes().withName("pool").delete();
        node(
                client,
                "control-plane",
                PLAIN,
                new Taint("NoSchedule", "node-role.kubernetes.io/control-plane", null, null));
        for (var deployment : deployments("base", controlPlane, client)) {
            var moved = start(client, namespace, deployment, "-on-control-plane");
            assertThat(nodesOf(client, moved)).containsExactlyInAnyOrder("control-plane", "control-plane");
        }
    }

    /** Checks that a replica does not use a pool's node, which it would keep forever: Trainyard's own pods are never evicted. */
    @Test
    void noReplicaRunsOnAPoolsMachineToBeApartFromTheOther(
            ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        node(client, "ordinary", Map.of(ZONE, "a"));
        node(client, "pool", Map.of(ZONE, "b", Names.POOL, "heavy"));
        for (var deployment : deployments("base", controlPlane, client)) {
            assertThat(nodesOf(client, start(client, namespace, deployment)))
                    .as(deployment.getMetadata().getName())
                    .containsExactly("ordinary", "ordinary");
        }
    }

    /** Expects different zones, even if the other zone's node is slightly fuller. */
    @Test
    void replicasRunInDifferentZones(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        node(client, "a-0", Map.of(ZONE, "a"));
        node(client, "a-1", Map.of(ZONE, "a"));
        node(client, "b", Map.of(ZONE, "b"));
        client.resource(filling("b", namespace)).create();
        for (var deployment : deployments("base", controlPlane, client)) {
            assertThat(nodesOf(client, start(client, namespace, deployment)))
                    .as(deployment.getMetadata().getName())
                    .hasSize(2)
                    .contains("b");
        }
    }

    @Test
    void secretsAreMadeByTheCommandsOfTheGuide(ControlPlane controlPlane, KubernetesClient client) throws IOException {
        RegisteredWebhook.install(client);
        var guide = Files.readString(ROOT.resolve("docs/installing.md"));
        var commands = Pattern.compile("(?m)^kubectl (-n trainyard-system create secret generic .*--from-literal.*)$")
                .matcher(guide)
                .results()
                .toList();

        assertThat(commands).hasSize(3);
        for (var command : commands) {
            var arguments = new ArrayList<>(List.of(command.group(1).split(" ")));
            arguments.add("--dry-run=server");
            assertThat(new Kubectl(controlPlane, ROOT).succeed(arguments)).contains("created (server dry run)");
        }
    }

    @Test
    void theOverlayOfTheGuideIsOne(ControlPlane controlPlane, @TempDir Path directory) throws IOException {
        var guide = Files.readString(ROOT.resolve("docs/installing.md"));
        var yaml = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(guide);
        assertThat(yaml.find()).isTrue();
        var up = directory.toRealPath().relativize(ROOT.resolve("manifests").toRealPath());
        Files.writeString(
                directory.resolve("kustomization.yaml"), yaml.group(1).replace("../manifests", up.toString()));

        var rendered = Rendered.of(new Kubectl(controlPlane, ROOT).succeed("kustomize", directory.toString()));
        assertThat(rendered.ofKind("Deployment").stream()
                        .flatMap(deployment -> Rendered.containers(deployment).stream())
                        .map(container -> container.path("image").asText().replaceFirst(":.*", "")))
                .containsOnly("registry.example.com/trainyard", "registry.k8s.io/kube-scheduler");
        assertThat(rendered.objects()
                        .get("ServiceAccount trainyard-system/trainyard-scaler")
                        .at("/metadata/annotations/azure.workload.identity~1client-id")
                        .asText())
                .isNotEmpty();
        Pattern.compile("manifests/[a-z/-]+[a-z.]+")
                .matcher(guide)
                .results()
                .forEach(path -> assertThat(ROOT.resolve(path.group())).exists());
    }

    @ParameterizedTest
    @CsvSource({"kind, azure", "kind, aws", "default-scheduler, azure", "default-scheduler, aws"})
    void everyOverlayCanHaveACloud(String overlay, String cloud, ControlPlane controlPlane, @TempDir Path directory)
            throws IOException {
        var up = directory.toRealPath().relativize(ROOT.resolve("manifests").toRealPath());
        Files.writeString(directory.resolve("kustomization.yaml"), """
                resources: [%1$s/overlays/%2$s]
                components: [%1$s/components/%3$s]
                """.formatted(up, overlay, cloud));

        var with = Rendered.of(new Kubectl(controlPlane, ROOT).succeed("kustomize", directory.toString()));
        var without = render("overlays/" + overlay, controlPlane);

        assertThat(with.objects().keySet())
                .containsAll(without.objects().keySet())
                .contains("NetworkPolicy trainyard-system/trainyard-scaler-metadata-service");
        assertThat(with.objects()
                        .get("Deployment trainyard-system/trainyard-scaler")
                        .toString())
                .contains("\"secretKeyRef\":{\"key\":\"%s_".formatted(cloud.toUpperCase(Locale.ROOT)));
    }

    /** Checks the pod selectors. The namespace may contain other pods, particularly if the chart's user chooses it. */
    @ParameterizedTest
    @MethodSource("kustomizations")
    void networkPoliciesAreForOurPodsOnly(String kustomization, ControlPlane controlPlane) {
        assertThat(render(kustomization, controlPlane).ofKind("NetworkPolicy"))
                .isNotEmpty()
                .allSatisfy(policy -> assertThat(policy.at("/spec/podSelector/matchLabels/app.kubernetes.io~1name")
                                .asText())
                        .isEqualTo("trainyard"));
    }

    /** Checks for a memory limit. Without one, the heap would be a share of the machine's memory. */
    @ParameterizedTest
    @MethodSource("kustomizations")
    void heapsAreAShareOfALimit(String kustomization, ControlPlane controlPlane) {
        assertThat(render(kustomization, controlPlane).ofKind("Deployment").stream()
                        .flatMap(deployment -> Rendered.containers(deployment).stream())
                        .filter(container -> container.path("env").toString().contains("MaxRAMPercentage")))
                .hasSize(3)
                .allSatisfy(container -> assertThat(
                                container.at("/resources/limits/memory").asText())
                        .isNotEmpty());
    }

    private void assertSchedulerTakes(List<String> arguments, ControlPlane controlPlane) {
        var command = new ArrayList<String>();
        command.add(controlPlane.kubectl().resolveSibling("kube-scheduler").toString());
        command.addAll(arguments);
        command.add("--version");
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("the scheduler does not run", e);
        }
    }

    private Deployment start(KubernetesClient client, Namespace namespace, Deployment deployment) {
        return start(client, namespace, deployment, "");
    }

    /**
     * Starts a Deployment in the test's namespace and on its nodes. Its ReplicaSet exists well before its pods. kube-scheduler's own
     * spreading uses the ReplicaSets in its cache, and that cache lags on a busy machine.
     */
    private Deployment start(KubernetesClient client, Namespace namespace, Deployment deployment, String suffix) {
        var name = deployment.getMetadata().getName() + suffix;
        var replicas = deployment.getSpec().getReplicas();
        var made = client.resource(new DeploymentBuilder(deployment)
                        .editMetadata()
                        .withName(name)
                        .withNamespace(namespace.getMetadata().getName())
                        .endMetadata()
                        .editSpec()
                        .withReplicas(0)
                        .editSelector()
                        .addToMatchLabels("started-as", name)
                        .endSelector()
                        .editTemplate()
                        .editMetadata()
                        .addToLabels("started-as", name)
                        .endMetadata()
                        .editSpec()
                        .withServiceAccountName("default")
                        .addToNodeSelector(OURS, "true")
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
        TrainingGround.awaitTrue(
                "the ReplicaSet of " + name + " exists",
                () -> !client.apps()
                        .replicaSets()
                        .inNamespace(made.getMetadata().getNamespace())
                        .withLabel("started-as", name)
                        .list()
                        .getItems()
                        .isEmpty());
        return client.resource(made).scale(replicas);
    }

    /** Waits until both pods have a node, and returns the nodes. */
    private static List<String> nodesOf(KubernetesClient client, Deployment deployment) {
        var pods = client.pods()
                .inNamespace(deployment.getMetadata().getNamespace())
                .withLabel("started-as", deployment.getMetadata().getName());
        TrainingGround.awaitTrue(
                "both pods of " + deployment.getMetadata().getName() + " have a node",
                () -> pods.list().getItems().stream()
                                .filter(pod -> pod.getSpec().getNodeName() != null)
                                .count()
                        == 2);
        return pods.list().getItems().stream()
                .map(pod -> pod.getSpec().getNodeName())
                .toList();
    }

    private void node(KubernetesClient client, String name, Map<String, String> labels, Taint... taints) {
        made.add(client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withLabels(labels)
                        .addToLabels(OURS, "true")
                        .addToLabels("kubernetes.io/hostname", name)
                        .addToLabels("kubernetes.io/os", "linux")
                        .endMetadata()
                        .withNewSpec()
                        .withTaints(taints)
                        .endSpec()
                        .withNewStatus()
                        .withAllocatable(Map.of(
                                "cpu", new Quantity("8"),
                                "memory", new Quantity("32Gi"),
                                "pods", new Quantity("110")))
                        .endStatus()
                        .build())
                .create());
    }

    /** Returns a pod that requests a tenth of the node. */
    private static Pod filling(String node, Namespace namespace) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("filling")
                .withNamespace(namespace.getMetadata().getName())
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .addNewContainer()
                .withName("main")
                .withImage("main")
                .withNewResources()
                .withRequests(Map.of("cpu", new Quantity("800m"), "memory", new Quantity("3200Mi")))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    private static void restrict(KubernetesClient client, Namespace namespace) {
        client.resource(new NamespaceBuilder(namespace)
                        .editMetadata()
                        .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                        .endMetadata()
                        .build())
                .update();
    }

    private static Pod unconfined() {
        return new PodBuilder()
                .withNewMetadata()
                .withName("unconfined")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("main")
                .endContainer()
                .endSpec()
                .build();
    }

    private static List<io.fabric8.kubernetes.api.model.Container> containers(Pod pod) {
        return Stream.concat(pod.getSpec().getInitContainers().stream(), pod.getSpec().getContainers().stream())
                .toList();
    }

    private static List<Deployment> deployments(
            String kustomization, ControlPlane controlPlane, KubernetesClient client) {
        return render(kustomization, controlPlane).ofKind("Deployment").stream()
                .map(ObjectNode::toString)
                .map(json -> client.getKubernetesSerialization().unmarshal(json, Deployment.class))
                .toList();
    }

    private static Rendered render(String kustomization, ControlPlane controlPlane) {
        return Rendered.of(new Kubectl(controlPlane, ROOT).succeed("kustomize", "manifests/" + kustomization));
    }
}
