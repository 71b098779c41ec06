package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.core.Names;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.extender.ExtenderComponent;
import dev.trainyard.extender.ExtenderOptions;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.runtime.server.ServerOptions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The extender beside a real kube-scheduler, both as {@code manifests/base/extender} has them: the extender with the rights of its
 * ServiceAccount, the scheduler with our configuration.
 */
@WithControlPlane
class ExtenderIT {

    private static final String SCHEDULER = "trainyard-scheduler-of-extender-it";
    /** Nodes of other tests do not have it. */
    private static final String OURS = "extender-it";

    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests");
    private static final BlockingQueue<UnplacedPod> REPORTS = new LinkedBlockingQueue<>();

    @TempDir
    private static Path directory;

    private static Vertx vertx;
    private static ComponentServer scaler;
    private static ExtenderOptions options;
    private static ExtenderComponent extender;

    private final List<HasMetadata> made = new ArrayList<>();

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        apply(client, "base/crds/trainingpools.yaml");
        apply(client, "base/crds/trainingtiers.yaml");
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(Names.NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        apply(client, "base/extender/rbac.yaml");

        vertx = Vertx.vertx();
        scaler = ComponentServer.start(
                vertx,
                ServerOptions.of("scaler", "127.0.0.1", 0).withClientCertificates(),
                tls("scaler", LeafRequest.forServer("scaler").withIpAddresses("127.0.0.1")),
                Routes.none().post(UnplacedPod.PATH, request -> {
                    REPORTS.add(new ObjectMapper().readValue(request.body().getBytes(), UnplacedPod.class));
                    return Response.text(202, "thanks");
                }),
                new SimpleMeterRegistry(),
                Clock.systemUTC());
        tls("scheduler", LeafRequest.forClient("trainyard-scheduler"));
        copyCa("extender");
        var rights = controlPlane.kubeconfigFor(
                "system:serviceaccount:trainyard-system:trainyard-extender", List.of("system:serviceaccounts"));
        options = ExtenderOptions.withTls(directory.resolve("extender"))
                .withListen(new ListenAddress("127.0.0.1", 0))
                .withKubeconfig(rights)
                .withScalerUrl(URI.create("https://127.0.0.1:" + scaler.port()));
        extender = ExtenderComponent.start(options);
        options = options.withListen(new ListenAddress("127.0.0.1", extender.port()));
        extender.ready().get(60, TimeUnit.SECONDS);
        controlPlane.startScheduler(SCHEDULER, schedulerConfiguration(extender.port()));
    }

    @AfterAll
    static void stop(ControlPlane controlPlane) {
        controlPlane.stop(SCHEDULER, Duration.ofSeconds(5));
        extender.close();
        scaler.close(Duration.ZERO);
        vertx.close().await();
    }

    @AfterEach
    void remove(KubernetesClient client) {
        made.forEach(object -> client.resource(object).withGracePeriod(0).delete());
    }

    @Test
    void placesAPodOnTheTightestNodeOfThePreferredPool(KubernetesClient client, Namespace namespace) {
        pool(client, "it-spot", "spot", 4);
        pool(client, "it-ondemand", "on-demand", 4);
        tier(client, "it-heavy", "it-ondemand", "it-spot"); // not the order of names
        node(client, "it-spot-a", "it-spot", 4);
        node(client, "it-ondemand-a", "it-ondemand", 4);
        node(client, "it-ondemand-b", "it-ondemand", 4);

        // Equal nodes go to the first by name, and what is taken makes it the tighter one, until it is full.
        for (int number = 0; number < 4; number++) {
            assertThat(nodeOf(client, pod(client, namespace, "single-" + number, "it-heavy", 1)))
                    .isEqualTo("it-ondemand-a");
        }
        assertThat(nodeOf(client, pod(client, namespace, "next", "it-heavy", 1)))
                .isEqualTo("it-ondemand-b");
        assertThat(nodeOf(client, pod(client, namespace, "large", "it-heavy", 4)))
                .isEqualTo("it-spot-a");
    }

    @Test
    void tellsUsersAndTheScalerWhyAPodHasNoNode(KubernetesClient client, Namespace namespace) throws Exception {
        pool(client, "it-other", "spot", 4);
        pool(client, "it-mine", "spot", 4);
        tier(client, "it-mine", "it-mine");
        node(client, "it-outside", "it-other", 4);
        node(client, "it-going", "it-mine", 4);
        client.nodes()
                .withName("it-going")
                .edit(node -> new NodeBuilder(node)
                        .editMetadata()
                        .addToAnnotations("trainyard.dev/removing", "")
                        .endMetadata()
                        .build());

        var pod = pod(client, namespace, "unplaced", "it-mine", 1);
        var condition = condition(client, pod, "1 node(s) being removed");
        assertThat(condition.getReason()).isEqualTo("Unschedulable");
        assertThat(condition.getMessage())
                .startsWith("0/")
                .contains("1 node(s) being removed")
                .contains("1 node(s) of a pool outside the pod's tier")
                .contains("Preemption is not helpful for scheduling");

        var report = reportOf(pod, reasons -> reasons.containsKey("node(s) being removed"));
        assertThat(report.name()).isEqualTo("unplaced");
        assertThat(report.reasons())
                .isEqualTo(Map.of("node(s) being removed", 1, "node(s) of a pool outside the pod's tier", 1));
    }

    @Test
    void givesAMachineBackWhenTheScalerChangesItsMind(KubernetesClient client, Namespace namespace) {
        pool(client, "it-back", "spot", 4);
        tier(client, "it-back", "it-back");
        node(client, "it-back", "it-back", 4);
        client.nodes().withName("it-back").edit(node -> removing(node, true));
        var pod = pod(client, namespace, "waits-for-machine", "it-back", 1);
        condition(client, pod, "1 node(s) were unschedulable");

        // The taint of the cordon goes a moment later, so the scheduler asks when the index has the change already.
        client.nodes().withName("it-back").edit(node -> removing(node, false));
        assertThat(nodeOf(client, pod)).isEqualTo("it-back");
    }

    @Test
    void placesAPodAsSoonAsTheDriverOfANewMachineIsUp(KubernetesClient client, Namespace namespace) {
        pool(client, "it-new", "spot", 1);
        tier(client, "it-new", "it-new");
        for (int number = 0; number < 10; number++) {
            node(client, "it-new-" + number, "it-new", 0);
            var pod = pod(client, namespace, "waits-for-driver-" + number, "it-new", 1);
            condition(client, pod, "Insufficient nvidia.com/gpu");

            client.nodes()
                    .withName("it-new-" + number)
                    .editStatus(node -> new NodeBuilder(node)
                            .editStatus()
                            .addToAllocatable("nvidia.com/gpu", new Quantity("1"))
                            .endStatus()
                            .build());
            assertThat(nodeOf(client, pod)).isEqualTo("it-new-" + number);
        }
    }

    @Test
    void keepsACpuPodOffGpuNodes(KubernetesClient client, Namespace namespace) {
        node(client, "it-gpus", null, 4);
        var pod = pod(client, namespace, "cpu-only", null, 0);
        condition(client, pod, "1 node(s) kept for pods that ask for GPUs");

        node(client, "it-plain", null, 0);
        assertThat(nodeOf(client, pod)).isEqualTo("it-plain");
    }

    @Test
    void doesNotStandInTheWayWhileItIsAway(KubernetesClient client, Namespace namespace) throws Exception {
        node(client, "it-gpus", null, 4);
        extender.close();
        assertThat(nodeOf(client, pod(client, namespace, "without-it", null, 0)))
                .as("the scheduler goes on by itself")
                .isEqualTo("it-gpus");

        extender = ExtenderComponent.start(options);
        extender.ready().get(60, TimeUnit.SECONDS);
        condition(
                client, pod(client, namespace, "with-it-again", null, 0), "1 node(s) kept for pods that ask for GPUs");
    }

    /** As the scaler marks a node: cordoned and annotated at once. */
    private static Node removing(Node node, boolean removing) {
        var marked = new NodeBuilder(node)
                .editSpec()
                .withUnschedulable(removing ? true : null)
                .endSpec();
        return (removing
                        ? marked.editMetadata()
                                .addToAnnotations("trainyard.dev/removing", "")
                                .endMetadata()
                        : marked.editMetadata()
                                .removeFromAnnotations("trainyard.dev/removing")
                                .endMetadata())
                .build();
    }

    private void pool(KubernetesClient client, String name, String capacityType, int gpus) {
        make(client, """
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: %s}
                spec:
                  provider: {kwok: {}}
                  capacityType: %s
                  promise: {allocatable: {cpu: "24", memory: 448Gi, nvidia.com/gpu: "%d"}}
                """.formatted(name, capacityType, gpus));
    }

    private void tier(KubernetesClient client, String name, String... pools) {
        make(client, """
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s]}
                """.formatted(name, String.join(", ", pools)));
    }

    private void make(KubernetesClient client, String yaml) {
        made.add(client.resource(yaml).create());
    }

    private void node(KubernetesClient client, String name, String pool, int gpus) {
        var allocatable = new HashMap<>(Map.of(
                "cpu", new Quantity("24"),
                "memory", new Quantity("448Gi"),
                "pods", new Quantity("110")));
        if (gpus > 0) {
            allocatable.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
        }
        var node = new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels(OURS, "true")
                .endMetadata()
                .withNewStatus()
                .withAllocatable(allocatable)
                .endStatus()
                .build();
        if (pool != null) {
            node.getMetadata().getLabels().put("trainyard.dev/pool", pool);
        }
        made.add(client.resource(node).create());
        client.nodes()
                .withName(name)
                .waitUntilCondition(
                        made -> made != null
                                && made.getStatus().getConditions().stream()
                                        .anyMatch(
                                                condition -> condition.getType().equals("Ready")
                                                        && condition.getStatus().equals("True"))
                                && made.getSpec().getTaints().isEmpty(),
                        30,
                        TimeUnit.SECONDS);
    }

    private Pod pod(KubernetesClient client, Namespace namespace, String name, String tier, int gpus) {
        var requests = new HashMap<>(Map.of("cpu", new Quantity("1")));
        if (gpus > 0) {
            requests.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
        }
        var pod = new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace.getMetadata().getName())
                .endMetadata()
                .withNewSpec()
                .withSchedulerName("trainyard-scheduler")
                .addToNodeSelector(OURS, "true")
                .addNewContainer()
                .withName("main")
                .withImage("tensorflow")
                .withNewResources()
                .withRequests(requests)
                .withLimits(requests)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
        if (tier != null) {
            pod.getMetadata().setAnnotations(Map.of("trainyard.dev/tier", tier));
        }
        var created = client.resource(pod).create();
        made.add(0, created);
        return created;
    }

    private static String nodeOf(KubernetesClient client, Pod pod) {
        return client.pods()
                .resource(pod)
                .waitUntilCondition(found -> found.getSpec().getNodeName() != null, 30, TimeUnit.SECONDS)
                .getSpec()
                .getNodeName();
    }

    private static PodCondition condition(KubernetesClient client, Pod pod, String message) {
        Predicate<PodCondition> wanted = condition -> condition.getType().equals("PodScheduled")
                && condition.getMessage() != null
                && condition.getMessage().contains(message);
        return client
                .pods()
                .resource(pod)
                .waitUntilCondition(
                        found -> found.getStatus().getConditions().stream().anyMatch(wanted), 30, TimeUnit.SECONDS)
                .getStatus()
                .getConditions()
                .stream()
                .filter(wanted)
                .findFirst()
                .orElseThrow();
    }

    private static UnplacedPod reportOf(Pod pod, Predicate<Map<String, Integer>> reasons) throws InterruptedException {
        UnplacedPod report;
        do {
            report = REPORTS.poll(30, TimeUnit.SECONDS);
            assertThat(report).as("a report of %s", pod.getMetadata().getName()).isNotNull();
        } while (!report.uid().equals(pod.getMetadata().getUid()) || !reasons.test(report.reasons()));
        return report;
    }

    private static void apply(KubernetesClient client, String manifest) throws IOException {
        try (var yaml = Files.newInputStream(MANIFESTS.resolve(manifest))) {
            client.load(yaml).serverSideApply();
        }
    }

    private static String schedulerConfiguration(int port) throws IOException {
        var yaml = new YAMLMapper();
        var configuration = (ObjectNode) yaml.readTree(
                MANIFESTS.resolve("base/extender/scheduler-config.yaml").toFile());
        var ours = (ObjectNode) configuration.at("/extenders/0");
        ours.put("urlPrefix", "https://127.0.0.1:" + port);
        ours.withObject("/tlsConfig")
                .put("caFile", directory.resolve("scheduler/ca.crt").toString())
                .put("certFile", directory.resolve("scheduler/tls.crt").toString())
                .put("keyFile", directory.resolve("scheduler/tls.key").toString());
        configuration.withObject("/leaderElection").put("leaderElect", false);
        return yaml.writeValueAsString(configuration);
    }

    private static TlsDirectory tls(String name, LeafRequest leaf) throws IOException {
        copyCa(name);
        return TlsDirectory.open(directory.resolve(name), leaf, Clock.systemUTC());
    }

    private static void copyCa(String name) throws IOException {
        var ca = directory.resolve("ca");
        if (Files.notExists(ca)) {
            TlsDirectory.open(ca, LeafRequest.forServer("any"), Clock.systemUTC());
        }
        var own = Files.createDirectories(directory.resolve(name));
        for (var file : List.of("ca.crt", "ca.key")) {
            Files.copy(ca.resolve(file), own.resolve(file));
        }
    }
}
