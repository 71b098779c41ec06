package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The webhook called by a real kube-apiserver, registered and with the rights in {@code manifests/base/webhook}. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class WebhookIT {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "webhook", "src", "test", "resources", "golden");
    private static final String LEGACY = "alpha.kubernetes.io/nvidia-gpu";
    private static final String GPU = "nvidia.com/gpu";

    private static RegisteredWebhook webhook;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        webhook = RegisteredWebhook.start(controlPlane, client);
    }

    @AfterAll
    static void stop() {
        webhook.close();
    }

    @BeforeEach
    void awaitCalled(KubernetesClient client, Namespace namespace) {
        RegisteredWebhook.awaitCalledFor(client, namespace.getMetadata().getName());
    }

    @Test
    void completesAPodOf2017(KubernetesClient client, Namespace namespace) {
        var created = create(client, namespace, "legacy-name");

        var resources = created.getSpec().getContainers().get(0).getResources();
        assertThat(resources.getRequests()).containsKey(GPU).doesNotContainKey(LEGACY);
        assertThat(resources.getLimits().get(GPU))
                .isEqualTo(resources.getRequests().get(GPU));
        assertThat(created.getSpec().getSchedulerName()).isEqualTo(Names.SCHEDULER);
        assertThat(created.getMetadata().getAnnotations())
                .containsEntry(Names.TIER, "light-gpu")
                .containsEntry("owner", "ml");
    }

    @Test
    void aStoredPodCreatedAgainIsTheSame(KubernetesClient client, Namespace namespace) {
        for (var golden : List.of("plain", "volume-name-clash", "library-path-literal", "own-required-affinity")) {
            var first = create(client, namespace, golden);
            var copy = new PodBuilder(first)
                    .withMetadata(new ObjectMetaBuilder()
                            .withGenerateName("again-")
                            .withNamespace(first.getMetadata().getNamespace())
                            .withAnnotations(first.getMetadata().getAnnotations())
                            .build())
                    .withStatus(null)
                    .build();

            var second = client.resource(copy).create();

            assertThat(second.getSpec()).as(golden).isEqualTo(first.getSpec());
            assertThat(second.getMetadata().getAnnotations())
                    .isEqualTo(first.getMetadata().getAnnotations());
        }
    }

    @Test
    void refusesWithWordsAndNeverSeesPodsWithoutGpuOrTier(KubernetesClient client, Namespace namespace) {
        assertThatThrownBy(() -> create(client, namespace, "unknown-tier"))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("there is no TrainingTier 'heavy_gpu'; tiers that can be used: cpu, heavy-gpu");
        assertThat(create(client, namespace, "no-gpu").getMetadata().getAnnotations())
                .isNullOrEmpty();
    }

    @Test
    void putsItsCaBackWhenSomebodyTakesItAway(KubernetesClient client) throws IOException {
        webhook.register();

        webhook.registration()
                .waitUntilCondition(
                        now -> now.getWebhooks().stream()
                                .allMatch(entry -> entry.getClientConfig().getCaBundle() != null),
                        30,
                        TimeUnit.SECONDS);
        RegisteredWebhook.awaitCalledFor(client, "default");
    }

    @Test
    void aDryRunLeavesNoTraceInItsMetrics(KubernetesClient client, Namespace namespace) throws Exception {
        var before = webhook.decisions();
        assertThat(before).hasSizeGreaterThan(3);

        var rehearsed =
                client.resource(pod(client, namespace, "plain")).dryRun().create();

        assertThat(rehearsed.getMetadata().getAnnotations()).containsKey(Names.INJECTED);
        assertThat(webhook.decisions()).isEqualTo(before);
        create(client, namespace, "plain");
        assertThat(webhook.decisions()).isNotEqualTo(before);
    }

    @Test
    void aPodIsAdmittedAsItIsWhileTheWebhookIsDown(KubernetesClient client, Namespace namespace) throws Exception {
        webhook.stop();
        try {
            var created = create(client, namespace, "plain");

            assertThat(created.getMetadata().getAnnotations()).isNullOrEmpty();
            assertThat(created.getSpec().getSchedulerName()).isEqualTo("default-scheduler");
            assertThat(created.getSpec().getAffinity()).isNull();
        } finally {
            webhook.restart();
        }
        assertThat(create(client, namespace, "plain").getMetadata().getAnnotations())
                .containsKey(Names.INJECTED);
    }

    private static Pod create(KubernetesClient client, Namespace namespace, String golden) {
        return client.resource(pod(client, namespace, golden)).create();
    }

    private static Pod pod(KubernetesClient client, Namespace namespace, String golden) {
        try {
            var pod = client.getKubernetesSerialization()
                    .unmarshal(Files.readString(GOLDEN.resolve(golden).resolve("before.yaml")), Pod.class);
            pod.getMetadata().setNamespace(namespace.getMetadata().getName());
            pod.getMetadata().setName(null);
            pod.getMetadata().setGenerateName(golden + "-");
            pod.getSpec().getContainers().forEach(container -> container.setImage("train"));
            pod.getSpec().getInitContainers().forEach(container -> container.setImage("train"));
            return pod;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
