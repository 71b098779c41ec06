package dev.trainyard.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@WithControlPlane
@Tag("disruptive")
class ControlPlaneIT {

    @Test
    void answersWithItsVersion(ControlPlane controlPlane, KubernetesClient client) {
        assertThat(client.getKubernetesVersion().getGitVersion())
                .isEqualTo("v" + controlPlane.version().full());
    }

    @Test
    void runsPodsOfAnotherSchedulerOnlyWhenThatOneRuns(
            ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        TestWorkloads workloads = new TestWorkloads(client, namespace);
        workloads.createNode("other-scheduler-node");
        Pod pod = workloads.createPod("waits", "other-scheduler");
        Pod ordinary = workloads.createPod("ordinary", "default-scheduler");
        workloads.await(ordinary, p -> "Running".equals(p.getStatus().getPhase()));
        assertThat(client.resource(pod).get().getSpec().getNodeName()).isNull();

        SupervisedProcess scheduler = controlPlane.startScheduler("other-scheduler", """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - schedulerName: other-scheduler
                """);

        workloads.await(pod, p -> "Running".equals(p.getStatus().getPhase()));
        assertThat(scheduler.isAlive()).isTrue();
        assertThat(controlPlane.process("other-scheduler").pid()).isEqualTo(scheduler.pid());
    }

    @Test
    void tellsWhyASchedulerDoesNotStart(ControlPlane controlPlane) {
        assertThatThrownBy(() -> controlPlane.startScheduler("wrong", """
                        apiVersion: kubescheduler.config.k8s.io/v1
                        kind: KubeSchedulerConfiguration
                        parallelism: -1
                        """))
                .isInstanceOf(ControlPlaneException.class)
                .hasMessageContaining("wrong ended with exit code 1 before it was ready")
                .hasMessageContaining(controlPlane.logs().resolve("wrong.log").toString())
                .hasMessageContaining("parallelism");
    }

    @Test
    void givesAnIdentityNoRightsButThoseOfRbac(
            ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        String name = namespace.getMetadata().getName();
        String user = "system:serviceaccount:" + name + ":scaler";
        try (KubernetesClient scaler = ControlPlane.client(controlPlane.kubeconfigFor(user, List.of()))) {
            assertThatThrownBy(() -> scaler.pods().inNamespace(name).list())
                    .isInstanceOfSatisfying(
                            KubernetesClientException.class,
                            e -> assertThat(e.getCode()).isEqualTo(403))
                    .hasMessageContaining(user);

            new TestWorkloads(client, namespace).allowToReadPods(user);

            assertThat(scaler.pods().inNamespace(name).list().getItems()).isEmpty();
            assertThatThrownBy(() -> scaler.nodes().list()).isInstanceOf(KubernetesClientException.class);
        }
    }

    @Test
    void surviveTheDeathOfAnyProcessOnceRestarted(ControlPlane controlPlane, KubernetesClient client) {
        for (String name : List.of(
                ControlPlane.ETCD,
                ControlPlane.API_SERVER,
                ControlPlane.CONTROLLER_MANAGER,
                ControlPlane.SCHEDULER,
                ControlPlane.KWOK)) {
            long before = controlPlane.process(name).pid();
            controlPlane.kill(name);
            assertThat(controlPlane.process(name).isAlive()).as(name).isFalse();
            controlPlane.restart(name);
            assertThat(controlPlane.process(name).pid()).isNotEqualTo(before);
        }
        assertThat(client.namespaces().withName("default").get()).isNotNull();
    }

    @Test
    void leavesNoProcessAndNoFileBehind(ControlPlane shared) {
        ControlPlane own = ControlPlane.start(
                ControlPlaneOptions.defaults()
                        .withVersion(shared.version())
                        .withParentDirectory(shared.dir().getParent()),
                step -> {});
        List<SupervisedProcess> processes = List.of(
                own.process(ControlPlane.ETCD),
                own.process(ControlPlane.API_SERVER),
                own.process(ControlPlane.CONTROLLER_MANAGER),
                own.process(ControlPlane.SCHEDULER),
                own.process(ControlPlane.KWOK));
        assertThat(processes).allMatch(SupervisedProcess::isAlive);

        own.close();

        assertThat(processes)
                .noneMatch(process -> ProcessHandle.of(process.pid())
                        .filter(ProcessHandle::isAlive)
                        .isPresent());
        assertThat(own.dir()).doesNotExist();
        assertThat(shared.dir()).exists();
    }

    @Test
    void bringsItsOwnKubectl(ControlPlane controlPlane) throws Exception {
        SupervisedProcess kubectl = SupervisedProcess.start(new SupervisedProcess.Launch(
                "kubectl",
                List.of(
                        controlPlane.kubectl().toString(),
                        "--kubeconfig=" + controlPlane.kubeconfig(),
                        "get",
                        "namespaces",
                        "--output=name"),
                controlPlane.logs().resolve("kubectl.log")));
        kubectl.onExit().get(30, TimeUnit.SECONDS);
        assertThat(Files.readString(kubectl.logFile(), StandardCharsets.UTF_8)).contains("namespace/default");
        assertThat(kubectl.exitCode()).hasValue(0);
        kubectl.stop(Duration.ZERO);
    }
}
