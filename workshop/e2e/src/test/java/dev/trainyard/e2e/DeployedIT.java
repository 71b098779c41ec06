package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.e2e.AuditLog.Rule;
import dev.trainyard.e2e.DeployedCluster.Overlay;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.Kubectl;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A deployed Trainyard runs training, needs exactly the rights that it has, and is removed without a trace. */
@WithControlPlane
@Tag("install")
@ResourceLock(WithControlPlane.CLUSTER)
class DeployedIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));

    /** Rights that only {@link ScaleDownIT}, {@link NudgeIT}, {@link StolenTokenIT}, {@link GangOwnersIT} and {@link OperatorsIT} need, with the same manifests. */
    private static final List<String> NOT_IN_THIS_STORY = List.of(
            "create pods/eviction",
            "patch pods",
            "patch pods/status",
            "get jobs",
            "get jobsets",
            "get podgroups",
            "get leaderworkersets",
            "get tfjobs",
            "get pytorchjobs",
            "get mpijobs",
            "get jaxjobs",
            "get paddlejobs",
            "get xgboostjobs",
            "get rayclusters");

    /** Rules that duplicate a kube-scheduler's rights. The extender needs them in the other overlay, without a scheduler beside it. */
    private static final Set<String> ALSO_THE_SCHEDULERS = Set.of(
            "ClusterRole trainyard-extender of trainyard-scheduler: [get, list, watch] [nodes, pods]",
            "ClusterRole trainyard-extender of trainyard-scheduler: [create] [events]");

    /** A node whose termination the scaler has requested, and whose machine still exists. */
    private static final String ORDERED_TO_GO = """
            apiVersion: v1
            kind: Node
            metadata:
              name: ordered-to-go
              annotations:
                trainyard.dev/removing: idle, 2026-01-01T10:00:00Z, taint
                trainyard.dev/terminating-since: "2026-01-01T10:00:00Z"
            spec: {taints: [{key: trainyard.dev/removing, value: idle, effect: NoSchedule}]}
            """;

    private ControlPlane controlPlane;
    private KubernetesClient client;
    private Kubectl kubectl;
    private Kubectl atRoot;

    /** Starts a control plane for each test, because the test removes objects that other tests may need. */
    @BeforeEach
    void startControlPlane() {
        controlPlane = ControlPlane.start(
                ControlPlaneOptions.defaults()
                        .withParentDirectory(Path.of("target", "deployed"))
                        .withAudit(),
                step -> System.err.println("[deployed] " + step));
        client = controlPlane.client();
        kubectl = new Kubectl(controlPlane, controlPlane.dir());
        atRoot = new Kubectl(controlPlane, ROOT);
    }

    @AfterEach
    void stop() {
        client.close();
        controlPlane.close();
    }

    @ParameterizedTest
    @EnumSource(Overlay.class)
    void trainsWithTheRightsThatItHasAndGoesWithoutATrace(Overlay overlay) throws IOException {
        var before = InstalledTraces.in(kubectl);
        var testCluster = DeployedCluster.start(controlPlane, overlay);
        train();
        assertWhoRan(overlay);
        upgradeAsTheGuideSays();
        repairCas(testCluster);
        leaveWorkBehind(testCluster, overlay == Overlay.LOCAL);
        assertRightsAreUsed(testCluster.rendered());

        removeAsTheGuideSays(testCluster);

        TrainingGround.awaitTrue("what it was is gone", () -> {
            var left = InstalledTraces.in(kubectl);
            left.removeAll(before);
            return left.isEmpty();
        });
        assertMachinesStay();
    }

    /** Runs a job whose volume the scheduler must bind. Its machine is launched, and removed after the job has ended. */
    private void train() throws IOException {
        atRoot.succeed("apply", "-f", "manifests/examples/pools.yaml", "-f", "manifests/examples/tiers.yaml");
        RegisteredWebhook.awaitCalledFor(client, "default");
        apply(Volume.YAML);
        atRoot.succeed("create", "-f", "manifests/examples/tftrain.yaml");
        TrainingGround.awaitTrue(
                "the trainings have run",
                () -> client.batch().v1().jobs().inNamespace("default").list().getItems().stream()
                        .allMatch(job -> job.getStatus() != null
                                && Integer.valueOf(1).equals(job.getStatus().getSucceeded())));
        TrainingGround.awaitTrue(
                "its machines are gone", () -> client.nodes().list().getItems().isEmpty());
        // Kubernetes would delete pods of deleted nodes later, perhaps between two steps of a command of the guide,
        // which would then fail.
        kubectl.succeed("delete", "jobs", "--all", "--cascade=foreground");
    }

    private void assertWhoRan(Overlay overlay) {
        assertThat(client.leases()
                        .inNamespace(Names.NAMESPACE)
                        .withName("trainyard-scaler")
                        .get()
                        .getSpec()
                        .getHolderIdentity())
                .isEqualTo("trainyard-scaler-0");
        assertThat(client.secrets().inNamespace(Names.NAMESPACE).list().getItems())
                .extracting(secret -> secret.getMetadata().getName())
                .containsExactlyInAnyOrderElementsOf(
                        overlay == Overlay.LOCAL
                                ? List.of("trainyard-webhook-ca", "trainyard-internal-ca")
                                : List.of("trainyard-webhook-ca", "trainyard-internal-ca", "trainyard-scheduler-tls"));
    }

    /** Upgrades in place: no object is recreated, and values written by components stay. */
    private void upgradeAsTheGuideSays() {
        var before = caBundles();
        DocumentedCommands.run(
                DocumentedCommands.commands("upgrading.md", "Upgrading").get(0), controlPlane, controlPlane.dir());
        assertThat(caBundles()).isEqualTo(before).doesNotContainNull();
        assertThat(client.resources(TrainingPool.class).list().getItems()).hasSize(5);
    }

    private List<String> caBundles() {
        return client
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard")
                .get()
                .getWebhooks()
                .stream()
                .map(webhook -> webhook.getClientConfig().getCaBundle())
                .toList();
    }

    /** Checks that each component that shares a CA creates and repairs the CA if the others are down. */
    private void repairCas(DeployedCluster testCluster) {
        spoil("trainyard-webhook-ca");
        testCluster.kill(InstalledComponent.EXTENDER);
        spoil("trainyard-internal-ca");
        testCluster.stop(InstalledComponent.SCALER);
        testCluster.start(InstalledComponent.EXTENDER);
        testCluster.awaitReady(InstalledComponent.EXTENDER);
        spoil("trainyard-internal-ca");
        testCluster.start(InstalledComponent.SCALER);
        testCluster.awaitReady(InstalledComponent.SCALER);
    }

    private void spoil(String secret) {
        kubectl.succeed("--namespace=trainyard-system", "delete", "secret", secret);
        awaitRight(secret);
        kubectl.succeed(
                "--namespace=trainyard-system", "patch", "secret", secret, "--type=merge", "--patch={\"data\":null}");
        awaitRight(secret);
    }

    private void awaitRight(String secret) {
        TrainingGround.awaitTrue(secret + " is put right", () -> {
            var found = client.secrets()
                    .inNamespace(Names.NAMESPACE)
                    .withName(secret)
                    .get();
            return found != null && found.getData() != null && found.getData().containsKey("ca.key");
        });
    }

    /** Checks the rights against the audit log: no call is refused, no right is unused, and none is granted twice. */
    private void assertRightsAreUsed(Rendered rendered) throws IOException {
        var audit = AuditLog.read(controlPlane.auditLog());
        var bindings = ofKinds(rendered, "ClusterRoleBinding", "RoleBinding");
        var ours = ofKinds(rendered, "ClusterRole", "Role");
        var all = Stream.concat(ours.stream(), ofKubernetes().stream()).toList();
        var rules = Rule.of(bindings, all);
        var dispensable = audit.dispensable(rules);

        assertThat(audit.refused()).isEmpty();
        assertThat(audit.unused(Rule.of(bindings, ours)))
                .allMatch(unused -> NOT_IN_THIS_STORY.stream().anyMatch(unused::endsWith));
        assertThat(dispensable.stream()
                        .filter(rule -> Rule.of(bindings, ours).stream()
                                .anyMatch(own -> own.toString().equals(rule)))
                        .filter(rule -> !rule.endsWith("[create] [pods/eviction]")
                                && !rule.endsWith("[patch] [pods]")
                                && !rule.endsWith("[patch] [pods/status]")))
                .allMatch(rule ->
                        ALSO_THE_SCHEDULERS.contains(rule) || rule.startsWith("ClusterRole trainyard-gang-owners "));
        // Kubernetes' own roles are needed, but not every rule of them.
        ofKubernetes().stream()
                .map(role -> rules.stream()
                        .filter(rule -> rule.isOf(role))
                        .map(Rule::toString)
                        .toList())
                .filter(bound -> !bound.isEmpty())
                .forEach(bound -> assertThat(dispensable.containsAll(bound))
                        .as("needless: %s", bound)
                        .isFalse());
    }

    private static List<ObjectNode> ofKinds(Rendered rendered, String... kinds) {
        return Stream.of(kinds).flatMap(kind -> rendered.ofKind(kind).stream()).toList();
    }

    /** Returns the bound roles that come with every cluster. */
    private List<ObjectNode> ofKubernetes() throws IOException {
        var roles = new ArrayList<ObjectNode>();
        for (var kind : List.of("clusterroles", "roles")) {
            var json = kubectl.succeed(
                    "get", kind, "--all-namespaces", "--output=json", "--selector=kubernetes.io/bootstrapping");
            new ObjectMapper().readTree(json).path("items").forEach(role -> roles.add((ObjectNode) role));
        }
        return roles;
    }

    /**
     * Leaves running and pending pods, as if Trainyard were removed during its work. If {@code running}, the components run until they are
     * removed. Otherwise they have died, and left one node about to be removed and another whose termination was requested.
     */
    private void leaveWorkBehind(DeployedCluster testCluster, boolean running) throws IOException {
        apply(serving("runs", "{}"));
        var node = TrainingGround.await(
                "one runs",
                () -> pods("runs")
                        .map(pod -> pod.getSpec().getNodeName())
                        .filter(Objects::nonNull)
                        .findFirst());
        if (!running) {
            testCluster.kill(InstalledComponent.SCALER);
        }
        testCluster.stopScheduler();
        apply(serving("bound", "{}"));
        bindBehindTheExtendersBack(node);
        apply(serving("waits", "{machines: that-nobody-has}"));
        TrainingGround.awaitTrue(
                "one waits",
                () -> pods("waits")
                        .anyMatch(pod -> pod.getSpec().getSchedulerName().equals(Names.SCHEDULER)));
        if (!running) {
            testCluster.killAll();
            kubectl.succeed("taint", "node", node, Names.REMOVING + "=idle:NoSchedule");
            kubectl.succeed("annotate", "node", node, Names.REMOVING + "=idle, 2026-01-01T10:00:00Z, taint");
            apply(ORDERED_TO_GO);
        }
        kubectl.succeed("label", "namespace", "default", Names.ALL_PODS + "=true");
        kubectl.succeed("annotate", "namespace", "default", Names.TIER + "=light-gpu");
    }

    /** Binds a pod without the extender, like a scheduler that does not call it, and waits for the extender's Event. */
    private void bindBehindTheExtendersBack(String node) throws IOException {
        var pod = TrainingGround.await("it is there", () -> pods("bound").findFirst());
        var name = pod.getMetadata().getName();
        Files.writeString(controlPlane.dir().resolve("binding.json"), """
                {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"}, "target": {"kind": "Node", "name": "%s"}}
                """.formatted(name, node));
        kubectl.succeed(
                "create", "--raw=/api/v1/namespaces/default/pods/%s/binding".formatted(name), "-f", "binding.json");
        TrainingGround.awaitTrue(
                "the extender tells of it",
                () -> client.events().v1().events().inNamespace("default").list().getItems().stream()
                        .anyMatch(event -> "ExtenderNotAsked".equals(event.getReason())));
    }

    private void removeAsTheGuideSays(DeployedCluster testCluster) {
        var commands = DocumentedCommands.commands("upgrading.md", "Removing").stream()
                .filter(block -> !block.startsWith("helm "))
                .toList();
        assertThat(commands).hasSize(4);
        DocumentedCommands.run(commands.get(0), controlPlane, controlPlane.dir());
        // In this test components run as processes, not in pods, so deleting the Deployments does not stop them.
        testCluster.stopAll();
        commands.stream().skip(1).forEach(block -> DocumentedCommands.run(block, controlPlane, controlPlane.dir()));
        kubectl.succeed("--namespace=kube-system", "delete", "lease", "trainyard-extender", "--ignore-not-found");
    }

    private static boolean isTainted(Node node) {
        return node.getSpec().getTaints().stream()
                .anyMatch(taint -> taint.getKey().equals(Names.REMOVING));
    }

    private void assertMachinesStay() {
        assertThat(client.nodes().list().getItems())
                .filteredOn(node -> !node.getMetadata().getName().equals("ordered-to-go"))
                .singleElement()
                .satisfies(node -> assertThat(isTainted(node)).isFalse());
        assertThat(client.nodes().list().getItems())
                .filteredOn(node -> node.getMetadata().getName().equals("ordered-to-go"))
                .as("the cloud ends it: nothing is to be placed there")
                .allSatisfy(node -> assertThat(isTainted(node)).isTrue());
        assertThat(pods("runs"))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getStatus().getPhase()).isEqualTo("Running"));
        TrainingGround.awaitTrue(
                "what waited was made again as it was written",
                () -> pods("waits")
                        .allMatch(pod -> pod.getSpec().getSchedulerName().equals("default-scheduler")));
    }

    private Stream<Pod> pods(String app) {
        return client.pods().inNamespace("default").withLabel("app", app).list().getItems().stream();
    }

    private void apply(String yaml) throws IOException {
        Files.writeString(controlPlane.dir().resolve("object.yaml"), yaml);
        kubectl.succeed("apply", "-f", "object.yaml");
    }

    private static String serving(String name, String selector) {
        return """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: %1$s}
                spec:
                  selector: {matchLabels: {app: %1$s}}
                  template:
                    metadata: {labels: {app: %1$s}}
                    spec:
                      nodeSelector: %2$s
                      containers: [{name: serve, image: serve, resources: {limits: {nvidia.com/gpu: 1}}}]
                """.formatted(name, selector);
    }

    /** A job whose claim is bound at scheduling time. */
    private static final class Volume {
        static final String YAML = """
                apiVersion: storage.k8s.io/v1
                kind: StorageClass
                metadata: {name: late}
                provisioner: kubernetes.io/no-provisioner
                volumeBindingMode: WaitForFirstConsumer
                ---
                apiVersion: v1
                kind: PersistentVolume
                metadata: {name: late}
                spec:
                  storageClassName: late
                  capacity: {storage: 1Gi}
                  accessModes: [ReadWriteOnce]
                  hostPath: {path: /data}
                ---
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: late}
                spec:
                  storageClassName: late
                  accessModes: [ReadWriteOnce]
                  resources: {requests: {storage: 1Gi}}
                ---
                apiVersion: batch/v1
                kind: Job
                metadata: {name: with-volume}
                spec:
                  template:
                    spec:
                      restartPolicy: Never
                      volumes: [{name: data, persistentVolumeClaim: {claimName: late}}]
                      containers:
                        - name: tensorflow
                          image: tensorflow/tensorflow:latest-gpu
                          resources: {limits: {nvidia.com/gpu: 1}}
                          volumeMounts: [{name: data, mountPath: /data}]
                """;
    }
}
