package dev.trainyard.bench.reaction;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.Definitions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A real control plane with two pools. Machines of the first one never join. Each new pod therefore stays pending, needs one more machine, and
 * causes one call of the scaler to its cloud. Machines of the second pool join at once, and run a training that is created again after each
 * eviction.
 */
final class ReactionCluster implements AutoCloseable {

    static final String NAMESPACE = "default";
    static final String POOL = "reaction";
    static final String RECLAIMED_POOL = "reclaimed";
    static final String TRAINING = "training";

    /** A taint of AWS Node Termination Handler, which announces the reclaim of a spot machine. */
    private static final String NOTICE = "aws-node-termination-handler/spot-itn";

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final int ATTEMPTS = 10;
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
        client.resource(new PodBuilder()
                        .withMetadata(metadata(POOL).withName(name).build())
                        .withSpec(oneGpu())
                        .build())
                .create();
    }

    /** Deletes the pods that {@link #makePod} created. */
    void deletePods() {
        client.pods().inNamespace(NAMESPACE).withGracePeriod(0).delete();
    }

    /** Starts a training of one pod. If the pod is evicted, its controller creates another one at once. */
    void startTraining() {
        client.resource(new ReplicaSetBuilder()
                        .withNewMetadata()
                        .withName(TRAINING)
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(1)
                        .withNewSelector()
                        .addToMatchLabels("app", TRAINING)
                        .endSelector()
                        .withNewTemplate()
                        .withMetadata(metadata(RECLAIMED_POOL)
                                .addToLabels("app", TRAINING)
                                .build())
                        .withSpec(oneGpu())
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
    }

    /** Puts the sign of an agent on a node. Others may change the node at the same time, so a few attempts may be needed. */
    void announceReclaim(String node) {
        for (int attempt = 1; ; attempt++) {
            try {
                taint(node);
                return;
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void taint(String node) {
        client.nodes()
                .withName(node)
                .edit(before -> new NodeBuilder(before)
                        .editOrNewSpec()
                        .addNewTaint()
                        .withKey(NOTICE)
                        .withValue("bench")
                        .withEffect("NoSchedule")
                        .endTaint()
                        .endSpec()
                        .build());
    }

    /** Whether {@link #announceReclaim} has put a sign on the node. */
    static boolean isAnnounced(Node node) {
        return node.getSpec().getTaints().stream().anyMatch(taint -> NOTICE.equals(taint.getKey()));
    }

    private static ObjectMetaBuilder metadata(String tier) {
        return new ObjectMetaBuilder()
                .withNamespace(NAMESPACE)
                .addToAnnotations(Names.TIER, tier)
                .addToAnnotations(Names.INJECTED, "tier " + tier);
    }

    private static PodSpec oneGpu() {
        var gpu = Map.of("nvidia.com/gpu", new Quantity("1"));
        return new PodSpecBuilder()
                .addNewContainer()
                .withName("tensorflow")
                .withImage("tensorflow/tensorflow:latest-gpu")
                .withNewResources()
                .withLimits(gpu)
                .withRequests(gpu)
                .endResources()
                .endContainer()
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
