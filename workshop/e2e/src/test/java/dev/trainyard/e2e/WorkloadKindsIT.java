package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.workshop.cluster.Kubectl;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Training in all kinds of objects that users write. kubectl and the real controllers create the pods, in namespaces of every Pod Security
 * level.
 */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class WorkloadKindsIT {

    private static final String LEVEL = "pod-security.kubernetes.io/enforce";

    private static RegisteredWebhook webhook;
    private static TfJobOperator operator;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        webhook = RegisteredWebhook.start(controlPlane, client);
        operator = TfJobOperator.start(client);
    }

    @AfterAll
    static void stop() {
        operator.close();
        webhook.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"privileged", "baseline", "restricted"})
    void makePodsThatAreCompletedAndNeverRefused(String level, ControlPlane controlPlane, KubernetesClient client)
            throws Exception {
        var kubectl = new Kubectl(controlPlane, controlPlane.dir());
        var namespace = "level-" + level;
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .addToLabels(LEVEL, level)
                        .endMetadata()
                        .build())
                .create();
        RegisteredWebhook.awaitCalledFor(client, namespace);
        Files.writeString(controlPlane.dir().resolve("workloads.yaml"), WorkloadKind.oneOfEach(level));

        var output = kubectl.succeed("create", "--namespace", namespace, "-f", "workloads.yaml");
        TrainingGround.awaitTrue(
                "all workloads have their pods", () -> pods(client, namespace).size() == WorkloadKind.podsOfAll());

        boolean mounts = level.equals("privileged");
        var withheld = "no driver mounts: the namespace's Pod Security level %s forbids host paths".formatted(level);
        assertThat(pods(client, namespace)).allSatisfy(pod -> {
            if (pod.getMetadata().getName().equals(WorkloadKind.PARAMETER_SERVER)) {
                assertThat(pod.getMetadata().getAnnotations())
                        .containsEntry(Names.TIER, "cpu")
                        .containsEntry(Names.INJECTED, "tier cpu; placed on cpu");
                assertThat(hostPaths(pod)).isEmpty();
            } else {
                assertThat(pod.getMetadata().getAnnotations()).containsEntry(Names.TIER, "light-gpu");
                assertThat(pod.getMetadata().getAnnotations().get(Names.INJECTED))
                        .contains(mounts ? "driver mounted from /usr/lib/nvidia-384" : withheld)
                        .contains("placed on light-spot, light-ondemand");
                assertThat(hostPaths(pod)).hasSize(mounts ? 3 : 0);
            }
            assertThat(pod.getSpec().getSchedulerName()).isEqualTo(Names.SCHEDULER);
            assertThat(pod.getSpec().getAffinity()).isNotNull();
        });
        // Only the author of the bare pod sees the warning. The others have the annotation.
        assertThat(output.lines().filter(line -> line.startsWith("Warning: ")))
                .containsExactlyElementsOf(mounts ? List.of() : List.of("Warning: " + withheld));
        assertThat(operator.refusals()).isEmpty();
        TrainingGround.awaitTrue(
                "events of the controllers of Jobs, ReplicaSets and StatefulSets about their pods",
                () -> Collections.frequency(eventReasons(client, namespace), "SuccessfulCreate") >= 3);
        assertThat(eventReasons(client, namespace)).doesNotContain("FailedCreate");
        kubectl.succeed("delete", "namespace", namespace, "--wait=false");
    }

    private static List<Pod> pods(KubernetesClient client, String namespace) {
        return client.pods().inNamespace(namespace).list().getItems();
    }

    private static List<String> hostPaths(Pod pod) {
        return pod.getSpec().getVolumes().stream()
                .filter(volume -> volume.getHostPath() != null)
                .map(volume -> volume.getHostPath().getPath())
                .toList();
    }

    private static List<String> eventReasons(KubernetesClient client, String namespace) {
        return client.resources(Event.class).inNamespace(namespace).list().getItems().stream()
                .map(Event::getReason)
                .toList();
    }
}
