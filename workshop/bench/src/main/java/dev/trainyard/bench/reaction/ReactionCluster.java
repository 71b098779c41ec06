package dev.trainyard.bench.reaction;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.Definitions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A real control plane with one pool whose machines never join. Each new pod therefore stays pending, needs one more machine, and causes
 * one call of the scaler to its cloud.
 */
final class ReactionCluster implements AutoCloseable {

    static final String NAMESPACE = "default";
    static final String POOL = "reaction";

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final String USER = "system:serviceaccount:%s:trainyard-scaler".formatted(Names.NAMESPACE);
    private static final List<String> GROUPS =
            List.of("system:serviceaccounts", "system:serviceaccounts:" + Names.NAMESPACE);

    private final ControlPlane controlPlane;
    private final KubernetesClient client;

    private ReactionCluster(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        this.client = controlPlane.client();
    }

    static ReactionCluster start(List<String> manifests, Consumer<String> progress) {
        var controlPlane = ControlPlane.start(ControlPlaneOptions.defaults(), progress::accept);
        var ground = new ReactionCluster(controlPlane);
        try {
            ground.install(manifests);
            return ground;
        } catch (RuntimeException e) {
            ground.close();
            throw e;
        }
    }

    KubernetesClient client() {
        return client;
    }

    String kubernetes() {
        return controlPlane.version().full();
    }

    /** Returns a kubeconfig with the rights of the scaler. */
    Path rightsOfScaler() {
        return controlPlane.kubeconfigFor(USER, GROUPS);
    }

    void makePod(String name) {
        client.resource(pod(name)).create();
    }

    private static Pod pod(String name) {
        var gpu = Map.of("nvidia.com/gpu", new Quantity("1"));
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .addToAnnotations(Names.TIER, POOL)
                .addToAnnotations(Names.INJECTED, "tier " + POOL)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("tensorflow")
                .withImage("tensorflow/tensorflow:latest-gpu")
                .withNewResources()
                .withLimits(gpu)
                .withRequests(gpu)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    private void install(List<String> manifests) {
        manifests.forEach(this::apply);
        Definitions.awaitEstablished(client, "trainingpools.trainyard.dev", "trainingtiers.trainyard.dev");
        apply(pools());
        client.serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName("default")
                .waitUntilCondition(Objects::nonNull, TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private void apply(String yaml) {
        client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
    }

    private static String pools() {
        try (InputStream file = Objects.requireNonNull(ReactionCluster.class.getResourceAsStream("pools.yaml"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        client.close();
        controlPlane.close();
    }
}
