package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.gang.Gang;
import dev.trainyard.core.gang.GangClaim;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.e2e.OperatorProcess.Kind;
import dev.trainyard.e2e.OperatorProcess.Ports;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceSpecBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceConversion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Common training operators as processes beside Trainyard: their pods get machines of their tier. */
@WithTestCluster
@Tag("operators")
@ResourceLock(value = WithTestCluster.EXAMPLE_POOLS, mode = ResourceAccessMode.READ)
@ResourceLock("operators")
class OperatorsIT {

    private static final Kind JOB_SET = new Kind(
            "jobset",
            "sigs.k8s.io/jobset",
            "sigs.k8s.io/jobset",
            "config/components/crd/bases",
            "config/components/webhook/manifests.yaml");
    private static final Kind TRAINER = new Kind(
            "trainer",
            "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager",
            "github.com/kubeflow/trainer/v2",
            "manifests/base/crds",
            "manifests/base/webhook/manifests.yaml");
    /** The training-operator without its webhooks, because it serves them with certificates for a Service. */
    private static final Kind TRAINING_OPERATOR = new Kind(
            "training-operator",
            "github.com/kubeflow/training-operator/cmd/training-operator.v1",
            "github.com/kubeflow/training-operator",
            "manifests/base/crds",
            "");

    /** Kueue. Its webhooks come from its own installation, which also creates their certificates. */
    private static final Kind KUEUE =
            new Kind("kueue", "sigs.k8s.io/kueue/cmd/kueue", "sigs.k8s.io/kueue", "config/components/crd/bases", "");

    private static final Kind LEADER_WORKER_SET = new Kind(
            "lws", "sigs.k8s.io/lws/cmd", "sigs.k8s.io/lws", "config/crd/bases", "config/webhook/manifests.yaml");

    @Test
    void podsOfAJobSetGetMachines(TestCluster testCluster, TrainingGround ground) throws IOException {
        try (var jobSet = startJobSet(testCluster, ground)) {
            create(testCluster, ground, """
                    apiVersion: jobset.x-k8s.io/v1alpha2
                    kind: JobSet
                    metadata: {name: train}
                    spec:
                      replicatedJobs:
                        - name: workers
                          replicas: 2
                          template:
                            spec:
                              parallelism: 2
                              completions: 2
                              template:
                                spec:
                                  restartPolicy: Never
                                  containers:
                                    - {name: main, image: pytorch/pytorch, resources: {limits: {nvidia.com/gpu: 1}}}
                    """);
            assertPlaced(testCluster, ground, 4, jobSet);
            assertOneGang(ground, 4);
        }
    }

    /** Uses the annotation in JobSet's guide, with a label that only nodes of one cloud have. */
    @Test
    void aJobSetThatNoNodeIsLabelledForGetsNoMachinesWithoutEnd(TestCluster testCluster, TrainingGround ground)
            throws IOException {
        try (var jobSet = startJobSet(testCluster, ground);
                var pools = new StoryPools(testCluster, ground)) {
            assertFewMachinesAreTried(testCluster, ground, pools, """
                    apiVersion: jobset.x-k8s.io/v1alpha2
                    kind: JobSet
                    metadata:
                      name: train
                      annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
                    spec:
                      replicatedJobs:
                        - name: workers
                          replicas: 3
                          template:
                            spec:
                              parallelism: 2
                              completions: 2
                              template:
                                metadata: {annotations: {trainyard.dev/tier: exclusive}}
                                spec:
                                  restartPolicy: Never
                                  containers:
                                    - {name: main, image: pytorch/pytorch, resources: {limits: {nvidia.com/gpu: 1}}}
                    """);
            assertThat(jobSet.isAlive()).isTrue();
            // The leaders. Their followers are created only after the leaders have nodes.
            assertOneGang(ground, 3);
            ground.kubectl("delete", "jobset", "train");
        }
    }

    @Test
    void podsOfATrainJobGetMachines(TestCluster testCluster, TrainingGround ground) throws IOException {
        try (var jobSet = startJobSet(testCluster, ground);
                var trainer = OperatorProcess.start(
                        testCluster, ground.namespace(), TRAINER, ports -> configured(ports, """
                        apiVersion: config.trainer.kubeflow.org/v1alpha1
                        kind: Configuration
                        health: {healthProbeBindAddress: "127.0.0.1:%2$d"}
                        metrics: {bindAddress: "0"}
                        webhook: {port: %1$d, host: 127.0.0.1}
                        leaderElection: {leaderElect: false}
                        certManagement: {enable: false}
                        """))) {
            create(testCluster, ground, """
                    apiVersion: trainer.kubeflow.org/v1alpha1
                    kind: TrainingRuntime
                    metadata: {name: torch, labels: {trainer.kubeflow.org/framework: torch}}
                    spec:
                      mlPolicy: {numNodes: 1, torch: {}}
                      template:
                        spec:
                          replicatedJobs:
                            - name: node
                              template:
                                metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                                spec:
                                  template: {spec: {containers: [{name: node, image: pytorch/pytorch}]}}
                    """);
            create(testCluster, ground, """
                    apiVersion: trainer.kubeflow.org/v1alpha1
                    kind: TrainJob
                    metadata: {name: train}
                    spec:
                      runtimeRef: {name: torch, kind: TrainingRuntime}
                      trainer: {numNodes: 2, resourcesPerNode: {limits: {nvidia.com/gpu: 1}}}
                    """);
            assertPlaced(testCluster, ground, 2, jobSet, trainer);
            assertOneGang(ground, 2);
        }
    }

    @Test
    void podsOfAPyTorchJobGetMachines(TestCluster testCluster, TrainingGround ground) throws IOException {
        var mount = mountCertificates(testCluster);
        try (var operator = startTrainingOperator(testCluster, ground, "pytorchjob")) {
            create(testCluster, ground, """
                    apiVersion: kubeflow.org/v1
                    kind: PyTorchJob
                    metadata: {name: train}
                    spec:
                      pytorchReplicaSpecs:
                        Master:
                          replicas: 1
                          restartPolicy: OnFailure
                          template:
                            spec:
                              containers:
                                - {name: pytorch, image: pytorch/pytorch, resources: {limits: {nvidia.com/gpu: 1}}}
                        Worker:
                          replicas: 2
                          restartPolicy: OnFailure
                          template:
                            spec:
                              containers:
                                - {name: pytorch, image: pytorch/pytorch, resources: {limits: {nvidia.com/gpu: 1}}}
                    """);
            assertPlaced(testCluster, ground, 3, operator);
            assertOneGang(ground, 3);
        } finally {
            mount.close();
        }
    }

    /** Covers a launcher without a tier. It requests storage, and the pools do not state the storage of their machines. */
    @Test
    void theLauncherOfAnMpiJobGetsAMachineWithoutGpus(TestCluster testCluster, TrainingGround ground)
            throws IOException {
        var mount = mountCertificates(testCluster);
        try (var operator = startTrainingOperator(testCluster, ground, "mpijob")) {
            create(testCluster, ground, """
                    apiVersion: kubeflow.org/v1
                    kind: MPIJob
                    metadata: {name: train}
                    spec:
                      mpiReplicaSpecs:
                        Launcher:
                          replicas: 1
                          template: {spec: {containers: [{name: mpi, image: horovod/horovod}]}}
                        Worker:
                          replicas: 2
                          template:
                            spec:
                              containers:
                                - {name: mpi, image: horovod/horovod, resources: {limits: {nvidia.com/gpu: 1}}}
                    """);
            TrainingGround.awaitTrue(
                    "the launcher and the workers run or ran",
                    () -> ground.placedPods().size() == 3);
            assertThat(operator.isAlive()).isTrue();
            assertThat(ground.placedPods().stream()
                            // A node's name is its pool's name and a number. The node itself may have been removed.
                            .map(pod -> pod.getSpec().getNodeName().replaceAll("-[0-9]+$", "")))
                    .containsExactlyInAnyOrder("cpu", "light-spot", "light-spot");
            assertOneGang(ground, 3);
        } finally {
            mount.close();
        }
    }

    @Test
    void podsOfALeaderWorkerSetGetMachines(TestCluster testCluster, TrainingGround ground) throws IOException {
        try (var operator = startLeaderWorkerSet(testCluster, ground)) {
            create(testCluster, ground, """
                    apiVersion: leaderworkerset.x-k8s.io/v1
                    kind: LeaderWorkerSet
                    metadata: {name: serve}
                    spec:
                      replicas: 1
                      leaderWorkerTemplate:
                        size: 2
                        workerTemplate:
                          spec:
                            containers:
                              - {name: main, image: pytorch/pytorch, resources: {limits: {nvidia.com/gpu: 1}}}
                    """);
            assertPlaced(testCluster, ground, 2, operator);
            assertOneGang(ground, 2);
            ground.kubectl("delete", "leaderworkerset", "serve");
        }
    }

    /** Uses the annotation in LeaderWorkerSet's guide, with a label that only nodes of one cloud have. */
    @Test
    void aLeaderWorkerSetThatNoNodeIsLabelledForGetsNoMachinesWithoutEnd(TestCluster testCluster, TrainingGround ground)
            throws IOException {
        try (var operator = startLeaderWorkerSet(testCluster, ground);
                var pools = new StoryPools(testCluster, ground)) {
            assertFewMachinesAreTried(testCluster, ground, pools, """
                    apiVersion: leaderworkerset.x-k8s.io/v1
                    kind: LeaderWorkerSet
                    metadata:
                      name: serve
                      annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
                    spec:
                      replicas: 3
                      leaderWorkerTemplate:
                        size: 2
                        workerTemplate:
                          metadata: {annotations: {trainyard.dev/tier: exclusive}}
                          spec:
                            containers:
                              - {name: main, image: pytorch/pytorch, resources: {limits: {nvidia.com/gpu: 1}}}
                    """);
            assertThat(operator.isAlive()).isTrue();
            ground.kubectl("delete", "leaderworkerset", "serve");
        }
    }

    @Test
    void podsOfAJobThatKueueAdmitsGetMachines(TestCluster testCluster, TrainingGround ground) throws IOException {
        var certificates = Files.createTempDirectory(testCluster.controlPlane().dir(), "kueue-certificates");
        var mount = mount(testCluster, "kueue-system", "kueue-webhook-server-cert", certificates);
        try (var operator = OperatorProcess.start(
                testCluster, ground.namespace(), KUEUE, ports -> kueue(testCluster, ground, ports, certificates))) {
            create(testCluster, ground, """
                    apiVersion: kueue.x-k8s.io/v1beta2
                    kind: ResourceFlavor
                    metadata: {name: any}
                    ---
                    apiVersion: kueue.x-k8s.io/v1beta2
                    kind: ClusterQueue
                    metadata: {name: team}
                    spec:
                      namespaceSelector: {}
                      resourceGroups:
                        - coveredResources: [nvidia.com/gpu]
                          flavors: [{name: any, resources: [{name: nvidia.com/gpu, nominalQuota: 2}]}]
                    ---
                    apiVersion: kueue.x-k8s.io/v1beta2
                    kind: LocalQueue
                    metadata: {name: training}
                    spec: {clusterQueue: team}
                    ---
                    apiVersion: batch/v1
                    kind: Job
                    metadata: {name: train, labels: {kueue.x-k8s.io/queue-name: training}}
                    spec:
                      suspend: true
                      parallelism: 2
                      completions: 2
                      template:
                        spec:
                          restartPolicy: Never
                          containers:
                            - {name: main, image: pytorch/pytorch, resources: {limits: {nvidia.com/gpu: 1}}}
                    """);
            assertPlaced(testCluster, ground, 2, operator);
            assertThat(ground.pods().stream().map(GangClaim::of))
                    .as("Kueue admits the Job as a whole, but the Job need not run as a whole")
                    .containsOnly(Optional.empty());
            // While Kueue still runs and can remove its finalizers.
            ground.kubectl("delete", "job,localqueue", "--all");
            ground.kubectl("delete", "clusterqueue", "team");
        } finally {
            mount.close();
            ground.kubectl("delete", "validatingwebhookconfiguration", "kueue-validating-webhook-configuration");
            ground.kubectl("delete", "mutatingwebhookconfiguration", "kueue-mutating-webhook-configuration");
        }
    }

    /**
     * Installs all objects except the Deployment and its rights. The API server calls the webhooks by their Service, which leads to this
     * machine.
     */
    private static List<String> kueue(TestCluster testCluster, TrainingGround ground, Ports ports, Path certificates)
            throws IOException {
        var installation = GoTool.sources("workshop/e2e/operators/kueue", "sigs.k8s.io/kueue")
                .resolve("config/default");
        var called = new LabelSelectorBuilder()
                .addToMatchLabels("kubernetes.io/metadata.name", ground.namespace())
                .build();
        var rendered = new ByteArrayInputStream(
                ground.kubectl("kustomize", installation.toString()).getBytes(StandardCharsets.UTF_8));
        for (var object : testCluster.client().load(rendered).items()) {
            if (object instanceof CustomResourceDefinition definition) {
                Optional.ofNullable(definition.getSpec().getConversion())
                        .map(CustomResourceConversion::getWebhook)
                        .ifPresent(webhook ->
                                webhook.getClientConfig().getService().setPort(ports.webhook()));
                testCluster.client().resource(definition).serverSideApply();
            } else if (object instanceof MutatingWebhookConfiguration mutating) {
                mutating.getWebhooks().removeIf(webhook -> !isCalled(webhook.getClientConfig()));
                mutating.getWebhooks().forEach(webhook -> {
                    webhook.getClientConfig().getService().setPort(ports.webhook());
                    webhook.setNamespaceSelector(called);
                });
                testCluster.client().resource(mutating).serverSideApply();
            } else if (object instanceof ValidatingWebhookConfiguration validating) {
                validating.getWebhooks().removeIf(webhook -> !isCalled(webhook.getClientConfig()));
                validating.getWebhooks().forEach(webhook -> {
                    webhook.getClientConfig().getService().setPort(ports.webhook());
                    webhook.setNamespaceSelector(called);
                });
                testCluster.client().resource(validating).serverSideApply();
            } else if (object instanceof Service service) {
                service.setSpec(new ServiceSpecBuilder()
                        .withType("ExternalName")
                        .withExternalName("localhost")
                        .build());
                testCluster.client().resource(service).serverSideApply();
            } else if (object instanceof Namespace || object instanceof Secret) {
                testCluster.client().resource(object).serverSideApply();
            }
        }
        return configured(ports, """
                apiVersion: config.kueue.x-k8s.io/v1beta2
                kind: Configuration
                namespace: kueue-system
                health: {healthProbeBindAddress: "127.0.0.1:%%2$d"}
                metrics: {bindAddress: "0"}
                webhook: {port: %%1$d, host: 127.0.0.1, certDir: %s}
                leaderElection: {leaderElect: false}
                integrations: {frameworks: [batch/job]}
                """.formatted(certificates), "--feature-gates=VisibilityOnDemand=false");
    }

    private static boolean isCalled(WebhookClientConfig webhook) {
        var path = webhook.getService().getPath();
        return path.contains("kueue-x-k8s-io") || path.contains("batch-v1-job");
    }

    private static OperatorProcess startJobSet(TestCluster testCluster, TrainingGround ground) throws IOException {
        return OperatorProcess.start(testCluster, ground.namespace(), JOB_SET, ports -> configured(ports, """
                apiVersion: config.jobset.x-k8s.io/v1alpha1
                kind: Configuration
                health: {healthProbeBindAddress: "127.0.0.1:%2$d"}
                metrics: {bindAddress: "0"}
                webhook: {port: %1$d, host: 127.0.0.1, certDir: %3$s}
                leaderElection: {leaderElect: false}
                internalCertManagement: {enable: false}
                """));
    }

    private static OperatorProcess startLeaderWorkerSet(TestCluster testCluster, TrainingGround ground)
            throws IOException {
        return OperatorProcess.start(
                testCluster, ground.namespace(), LEADER_WORKER_SET, ports -> configured(ports, """
                apiVersion: config.lws.x-k8s.io/v1alpha1
                kind: Configuration
                health: {healthProbeBindAddress: "127.0.0.1:%2$d"}
                metrics: {bindAddress: "0"}
                webhook: {port: %1$d, host: 127.0.0.1, certDir: %3$s}
                leaderElection: {leaderElect: false}
                internalCertManagement: {enable: false}
                """));
    }

    private static List<String> configured(Ports ports, String configuration, String... more) throws IOException {
        var file = Files.writeString(
                ports.directory().resolve("config.yaml"),
                configuration.formatted(ports.webhook(), ports.health(), ports.certificates()));
        return Stream.concat(Stream.of("--config=" + file), Stream.of(more)).toList();
    }

    private static OperatorProcess startTrainingOperator(TestCluster testCluster, TrainingGround ground, String kind)
            throws IOException {
        return OperatorProcess.start(
                testCluster,
                ground.namespace(),
                TRAINING_OPERATOR,
                ports -> List.of(
                        "--metrics-bind-address=0",
                        "--health-probe-bind-address=127.0.0.1:" + ports.health(),
                        "--webhook-server-port=" + ports.webhook(),
                        "--enable-scheme=" + kind,
                        "--namespace=" + ground.namespace()));
    }

    /**
     * Creates the Secret and the webhook configuration in which the training-operator stores its certificates. The operator waits until
     * both exist and the Secret's entries are mounted as files. It listens on all addresses.
     *
     * @return the watch that mounts the Secret in place of a kubelet
     */
    private static Watch mountCertificates(TestCluster testCluster) {
        testCluster
                .client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("kubeflow")
                        .endMetadata()
                        .build())
                .serverSideApply();
        testCluster
                .client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("training-operator-webhook-cert")
                        .withNamespace("kubeflow")
                        .endMetadata()
                        .build())
                .serverSideApply();
        testCluster
                .client()
                .resource(new ValidatingWebhookConfigurationBuilder()
                        .withNewMetadata()
                        .withName("validator.training-operator.kubeflow.org")
                        .endMetadata()
                        .build())
                .serverSideApply();
        return mount(
                testCluster,
                "kubeflow",
                "training-operator-webhook-cert",
                Path.of("/tmp/k8s-webhook-server/serving-certs"));
    }

    /** Mounts a Secret in place of a kubelet. */
    private static Watch mount(TestCluster testCluster, String namespace, String secret, Path directory) {
        return testCluster
                .client()
                .secrets()
                .inNamespace(namespace)
                .withName(secret)
                .watch(new Mount(directory));
    }

    /** Writes a Secret's entries to files of a directory, as a kubelet does. */
    private record Mount(Path directory) implements Watcher<Secret> {

        @Override
        public void eventReceived(Action action, Secret secret) {
            var entries = Optional.ofNullable(secret.getData()).orElse(Map.of());
            try {
                Files.createDirectories(directory);
                for (var entry : entries.entrySet()) {
                    Files.write(
                            directory.resolve(entry.getKey()),
                            Base64.getDecoder().decode(entry.getValue()));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void onClose(WatcherException cause) {
            throw new IllegalStateException("the Secret is not watched any more", cause);
        }
    }

    /** Creates objects from YAML after the webhook is active. The API server calls a new webhook only after a moment. */
    private static void create(TestCluster testCluster, TrainingGround ground, String yaml) {
        var file = ground.file(yaml);
        RegisteredWebhook.awaitCalledFor(testCluster.client(), ground.namespace());
        ground.kubectl("create", "-f", file);
    }

    private static void assertPlaced(
            TestCluster testCluster, TrainingGround ground, int pods, OperatorProcess... operators) {
        try {
            TrainingGround.awaitTrue(
                    "%d pods run or ran".formatted(pods),
                    () -> ground.placedPods().size() >= pods);
        } catch (AssertionError e) {
            throw new AssertionError(
                    "%s; events: %s; the operators logged: %s"
                            .formatted(
                                    e.getMessage(),
                                    ground.events(),
                                    Stream.of(operators)
                                            .map(OperatorProcess::logged)
                                            .toList()),
                    e);
        }
        assertThat(operators).allMatch(OperatorProcess::isAlive);
        Map<String, String> poolOfNode = testCluster.client().nodes().list().getItems().stream()
                .collect(Collectors.toMap(
                        node -> node.getMetadata().getName(),
                        node -> node.getMetadata().getLabels().getOrDefault(Names.POOL, "none")));
        assertThat(ground.placedPods()).allSatisfy(pod -> {
            assertThat(pod.getMetadata().getAnnotations()).containsKey(Names.INJECTED);
            assertThat(poolOfNode.getOrDefault(pod.getSpec().getNodeName(), "light-spot"))
                    .isIn("light-spot", "light-ondemand");
        });
    }

    /** Checks that all pods that have a gang have the same one, as the object that describes the gang says. */
    private static void assertOneGang(TrainingGround ground, int size) {
        assertThat(ground.pods().stream()
                        .flatMap(pod -> GangClaim.of(pod).stream())
                        .flatMap(claim -> gang(ground, (OfObject) claim).stream())
                        .distinct())
                .singleElement()
                .extracting(Gang::size)
                .isEqualTo(size);
    }

    private static Optional<Gang> gang(TrainingGround ground, OfObject claim) {
        var object = claim.object();
        var json = ground.kubectl("get", object.resource() + "." + object.group(), object.name(), "--output=json");
        try {
            return claim.reading().apply(new ObjectMapper().readTree(json));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Checks that at most one machine is launched for each of three pods. The pods exclude each other, and need a node label that no node
     * has. Machines that are requested later, for other pods of the tier, do not include further machines for these three pods.
     */
    private static void assertFewMachinesAreTried(
            TestCluster testCluster, TrainingGround ground, StoryPools pools, String yaml) {
        pools.pool("exclusive", "on-demand", "", "cpu: 4, memory: 16Gi, nvidia.com/gpu: 1", "max: 20")
                .tier("exclusive", "exclusive");
        long before = pools.ordered("exclusive");
        create(testCluster, ground, yaml);
        TrainingGround.awaitTrue("three pods wait", () -> ground.pods().size() == 3);
        TrainingGround.awaitTrue(
                "the label is named in an Event",
                () -> ground.events().stream().anyMatch(event -> event.contains("cloud.google.com/gke-nodepool")));
        for (int i = 0; i < 3; i++) {
            var job = "plain-" + i;
            create(testCluster, ground, """
                    apiVersion: batch/v1
                    kind: Job
                    metadata: {name: %s}
                    spec:
                      template:
                        metadata: {annotations: {trainyard.dev/tier: exclusive}}
                        spec:
                          restartPolicy: Never
                          containers: [{name: main, image: pytorch/pytorch, resources: {limits: {nvidia.com/gpu: 1}}}]
                    """.formatted(job));
            ground.awaitSucceeded(job, 1);
        }
        assertThat(pools.ordered("exclusive") - before)
                .as("machines for three pods that cannot run and three that can; %s", pools.growths("exclusive"))
                .isLessThanOrEqualTo(6);
    }
}
