package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.yard.Yard;
import dev.trainyard.core.Names;
import dev.trainyard.e2e.OperatorProcess.Kind;
import dev.trainyard.e2e.OperatorProcess.Ports;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Operators that people run training with, as processes beside Trainyard: the pods that they make get machines of their tier. */
@WithYard
@Tag("slow")
@EnabledIfSystemProperty(
        named = "trainyard.operators",
        matches = "true",
        disabledReason = "the operators are compiled first, which takes several minutes each")
@ResourceLock(value = WithYard.EXAMPLE_POOLS, mode = ResourceAccessMode.READ)
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
    /** Its webhooks are left out: it serves them with certificates for a Service. */
    private static final Kind TRAINING_OPERATOR = new Kind(
            "training-operator",
            "github.com/kubeflow/training-operator/cmd/training-operator.v1",
            "github.com/kubeflow/training-operator",
            "manifests/base/crds",
            "");

    private static final Kind KUEUE = new Kind(
            "kueue",
            "sigs.k8s.io/kueue/cmd/kueue",
            "sigs.k8s.io/kueue",
            "config/components/crd/bases",
            "config/components/webhook/manifests.yaml",
            List.of("kueue-x-k8s-io", "batch-v1-job"));
    private static final Kind LEADER_WORKER_SET = new Kind(
            "lws", "sigs.k8s.io/lws/cmd", "sigs.k8s.io/lws", "config/crd/bases", "config/webhook/manifests.yaml");

    @Test
    void podsOfAJobSetGetMachines(Yard yard, TrainingGround ground) throws IOException {
        try (var jobSet = startJobSet(yard, ground)) {
            create(yard, ground, """
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
            assertPlaced(yard, ground, 4, jobSet);
        }
    }

    @Test
    void podsOfATrainJobGetMachines(Yard yard, TrainingGround ground) throws IOException {
        try (var jobSet = startJobSet(yard, ground);
                var trainer =
                        OperatorProcess.start(yard, ground.namespace(), TRAINER, ports -> configured(ports, """
                        apiVersion: config.trainer.kubeflow.org/v1alpha1
                        kind: Configuration
                        health: {healthProbeBindAddress: "127.0.0.1:%2$d"}
                        metrics: {bindAddress: "0"}
                        webhook: {port: %1$d, host: 127.0.0.1}
                        leaderElection: {leaderElect: false}
                        certManagement: {enable: false}
                        """))) {
            create(yard, ground, """
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
            create(yard, ground, """
                    apiVersion: trainer.kubeflow.org/v1alpha1
                    kind: TrainJob
                    metadata: {name: train}
                    spec:
                      runtimeRef: {name: torch, kind: TrainingRuntime}
                      trainer: {numNodes: 2, resourcesPerNode: {limits: {nvidia.com/gpu: 1}}}
                    """);
            assertPlaced(yard, ground, 2, jobSet, trainer);
        }
    }

    @Test
    void podsOfAPyTorchJobGetMachines(Yard yard, TrainingGround ground) throws IOException {
        prepareTrainingOperator(yard);
        try (var operator = OperatorProcess.start(
                yard,
                ground.namespace(),
                TRAINING_OPERATOR,
                ports -> List.of(
                        "--metrics-bind-address=0",
                        "--health-probe-bind-address=127.0.0.1:" + ports.health(),
                        "--webhook-server-port=" + ports.webhook(),
                        "--enable-scheme=pytorchjob",
                        "--namespace=" + ground.namespace()))) {
            create(yard, ground, """
                    apiVersion: kubeflow.org/v1
                    kind: PyTorchJob
                    metadata: {name: train}
                    spec:
                      pytorchReplicaSpecs:
                        Master: &replica
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
                    """.replace(" &replica", ""));
            assertPlaced(yard, ground, 3, operator);
        }
    }

    @Test
    void podsOfALeaderWorkerSetGetMachines(Yard yard, TrainingGround ground) throws IOException {
        try (var operator =
                OperatorProcess.start(yard, ground.namespace(), LEADER_WORKER_SET, ports -> configured(ports, """
                        apiVersion: config.lws.x-k8s.io/v1alpha1
                        kind: Configuration
                        health: {healthProbeBindAddress: "127.0.0.1:%2$d"}
                        metrics: {bindAddress: "0"}
                        webhook: {port: %1$d, host: 127.0.0.1, certDir: %3$s}
                        leaderElection: {leaderElect: false}
                        internalCertManagement: {enable: false}
                        """))) {
            create(yard, ground, """
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
            assertPlaced(yard, ground, 2, operator);
            ground.kubectl("delete", "leaderworkerset", "serve");
        }
    }

    @Test
    void podsOfAJobThatKueueAdmitsGetMachines(Yard yard, TrainingGround ground) throws IOException {
        try (var operator = OperatorProcess.start(yard, ground.namespace(), KUEUE, OperatorsIT::kueue)) {
            create(yard, ground, """
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
            assertPlaced(yard, ground, 2, operator);
            // While somebody is there to remove its finalizers.
            ground.kubectl("delete", "job,localqueue", "--all");
            ground.kubectl("delete", "clusterqueue", "team");
        }
    }

    private static List<String> kueue(Ports ports) throws IOException {
        var config = configured(ports, """
                apiVersion: config.kueue.x-k8s.io/v1beta2
                kind: Configuration
                health: {healthProbeBindAddress: "127.0.0.1:%2$d"}
                metrics: {bindAddress: "0"}
                webhook: {port: %1$d, host: 127.0.0.1, certDir: %3$s}
                leaderElection: {leaderElect: false}
                internalCertManagement: {enable: false}
                integrations: {frameworks: [batch/job]}
                """);
        return Stream.concat(config.stream(), Stream.of("--feature-gates=VisibilityOnDemand=false"))
                .toList();
    }

    private static OperatorProcess startJobSet(Yard yard, TrainingGround ground) throws IOException {
        return OperatorProcess.start(yard, ground.namespace(), JOB_SET, ports -> configured(ports, """
                apiVersion: config.jobset.x-k8s.io/v1alpha1
                kind: Configuration
                health: {healthProbeBindAddress: "127.0.0.1:%2$d"}
                metrics: {bindAddress: "0"}
                webhook: {port: %1$d, host: 127.0.0.1, certDir: %3$s}
                leaderElection: {leaderElect: false}
                internalCertManagement: {enable: false}
                """));
    }

    private static List<String> configured(Ports ports, String configuration) throws IOException {
        var file = Files.writeString(
                ports.directory().resolve("config.yaml"),
                configuration.formatted(ports.webhook(), ports.health(), ports.certificates()));
        return List.of("--config=" + file);
    }

    /** It changes a Secret and a webhook configuration of these names, and begins only when it could. It listens on all addresses. */
    private static void prepareTrainingOperator(Yard yard) {
        yard.client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("kubeflow")
                        .endMetadata()
                        .build())
                .serverSideApply();
        yard.client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("training-operator-webhook-cert")
                        .withNamespace("kubeflow")
                        .endMetadata()
                        .build())
                .serverSideApply();
        yard.client()
                .resource(new ValidatingWebhookConfigurationBuilder()
                        .withNewMetadata()
                        .withName("validator.training-operator.kubeflow.org")
                        .endMetadata()
                        .build())
                .serverSideApply();
    }

    /** A webhook that has just been registered is not called at once. */
    private static void create(Yard yard, TrainingGround ground, String yaml) {
        var file = ground.file(yaml);
        RegisteredWebhook.awaitCalledFor(yard.client(), ground.namespace());
        ground.kubectl("create", "-f", file);
    }

    private static void assertPlaced(Yard yard, TrainingGround ground, int pods, OperatorProcess... operators) {
        TrainingGround.awaitTrue(
                "%d pods run or ran; events: %s".formatted(pods, ground.events()),
                () -> ground.placedPods().size() >= pods);
        assertThat(operators).allMatch(OperatorProcess::isAlive);
        Map<String, String> poolOfNode = yard.client().nodes().list().getItems().stream()
                .collect(Collectors.toMap(
                        node -> node.getMetadata().getName(),
                        node -> node.getMetadata().getLabels().getOrDefault(Names.POOL, "none")));
        assertThat(ground.placedPods()).allSatisfy(pod -> {
            assertThat(pod.getMetadata().getAnnotations()).containsKey(Names.INJECTED);
            assertThat(poolOfNode.getOrDefault(pod.getSpec().getNodeName(), "light-spot"))
                    .isIn("light-spot", "light-ondemand");
        });
    }
}
