package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.webhook.WebhookComponent;
import dev.trainyard.webhook.WebhookOptions;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The webhook called by a real kube-apiserver, registered and with the rights that {@code manifests/base/webhook} gives. */
@WithControlPlane
class WebhookIT {

    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests");
    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "webhook", "src", "test", "resources", "golden");
    private static final String LEGACY = "alpha.kubernetes.io/nvidia-gpu";
    private static final String GPU = "nvidia.com/gpu";

    @TempDir
    private static Path tls;

    private static WebhookComponent webhook;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        for (var manifest : List.of("base/crds/trainingpools.yaml", "base/crds/trainingtiers.yaml")) {
            apply(client, Files.readString(MANIFESTS.resolve(manifest)));
        }
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(Names.NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        for (var manifest : List.of("examples/pools.yaml", "examples/tiers.yaml", "base/webhook/rbac.yaml")) {
            apply(client, Files.readString(MANIFESTS.resolve(manifest)));
        }
        var rights = controlPlane.kubeconfigFor(
                "system:serviceaccount:trainyard-system:trainyard-webhook", List.of("system:serviceaccounts"));
        var options = WebhookOptions.onLoopback(tls).withKubeconfig(rights).withWebhookConfiguration("trainyard");
        webhook = WebhookComponent.start(options, Clock.systemUTC());
        register(client);
        assertThat(webhook.awaitReady(Duration.ofSeconds(60)))
                .as("%s", webhook.whyNotReady())
                .isTrue();
        awaitCalled(client);
    }

    @AfterAll
    static void stop(KubernetesClient client) throws IOException {
        registration(client).delete();
        webhook.close();
        for (var manifest : List.of("examples/tiers.yaml", "examples/pools.yaml")) {
            client.load(Files.newInputStream(MANIFESTS.resolve(manifest))).delete();
        }
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
        register(client);

        registration(client)
                .waitUntilCondition(
                        now -> now.getWebhooks().get(0).getClientConfig().getCaBundle() != null, 30, TimeUnit.SECONDS);
        awaitCalled(client);
    }

    /** The API server learns of a registration, and of its CA, some time after it is written. */
    private static void awaitCalled(KubernetesClient client) {
        var pod = new PodBuilder()
                .withNewMetadata()
                .withGenerateName("await-")
                .withNamespace("default")
                .addToAnnotations(Names.TIER, "light-gpu")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("a")
                .withImage("a")
                .endContainer()
                .endSpec()
                .build();
        TrainingGround.awaitTrue("the webhook is called", () -> isCompleted(client, pod));
    }

    private static boolean isCompleted(KubernetesClient client, Pod pod) {
        try {
            var created = client.resource(pod).dryRun().create();
            return created.getMetadata().getAnnotations().containsKey(Names.INJECTED);
        } catch (KubernetesClientException e) {
            return false; // namespace default has no ServiceAccount yet
        }
    }

    private static Pod create(KubernetesClient client, Namespace namespace, String golden) {
        try {
            var pod = client.getKubernetesSerialization()
                    .unmarshal(Files.readString(GOLDEN.resolve(golden).resolve("before.yaml")), Pod.class);
            pod.getMetadata().setNamespace(namespace.getMetadata().getName());
            pod.getMetadata().setName(null);
            pod.getMetadata().setGenerateName(golden + "-");
            pod.getSpec().getContainers().forEach(container -> container.setImage("train"));
            pod.getSpec().getInitContainers().forEach(container -> container.setImage("train"));
            return client.resource(pod).create();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As the manifest has it, but for the address: nothing here resolves a Service. */
    private static void register(KubernetesClient client) throws IOException {
        var yaml = Files.readString(MANIFESTS.resolve("base/webhook/webhook-configuration.yaml"));
        var configuration = client.getKubernetesSerialization().unmarshal(yaml, MutatingWebhookConfiguration.class);
        var target = configuration.getWebhooks().get(0).getClientConfig();
        target.setService(null);
        target.setUrl(webhook.url());
        if (registration(client).get() == null) {
            client.resource(configuration).create();
        } else {
            client.resource(configuration).update();
        }
    }

    private static Resource<MutatingWebhookConfiguration> registration(KubernetesClient client) {
        return client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard");
    }

    private static void apply(KubernetesClient client, String yaml) {
        client.load(new java.io.ByteArrayInputStream(yaml.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .serverSideApply();
    }
}
