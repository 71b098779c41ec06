package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.Removal;
import io.fabric8.kubernetes.api.model.ContainerImageBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A real scheduler without the extender places the pods that the webhook completed. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class PluginsProfileIT {

    private static final String POOL = """
            apiVersion: trainyard.dev/v1alpha1
            kind: TrainingPool
            metadata: {name: it-%1$s}
            spec:
              provider: {kwok: {}}
              capacityType: spot
              promise:
                allocatable: {cpu: "24", memory: 448Gi, nvidia.com/gpu: "4"}
                labels: {it-machine: %1$s}
            ---
            """;
    private static final String TIER = """
            apiVersion: trainyard.dev/v1alpha1
            kind: TrainingTier
            metadata: {name: it-plugins}
            spec: {pools: [it-spot, it-ondemand]}
            """;

    private static TestSchedulers testCluster;
    private static RegisteredWebhook webhook;

    private TestFleet fleet;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        testCluster = TestSchedulers.open(controlPlane, client, "plugins-it");
        testCluster.startSchedulerOfPlugins();
        webhook = RegisteredWebhook.start(controlPlane, client, poolsAndTier(client));
    }

    @AfterAll
    static void stop() {
        webhook.close();
        testCluster.close();
    }

    @BeforeEach
    void open(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        fleet = new TestFleet(controlPlane, client, namespace);
        RegisteredWebhook.awaitCalledFor(client, fleet.namespace());
    }

    @AfterEach
    void remove() {
        fleet.close();
    }

    @Test
    void prefersTheTiersFirstPoolToAFullerNodeThatHasTheImage(KubernetesClient client) {
        node("it-ondemand-a", "ondemand");
        assertThat(placeOf("first", 3)).isEqualTo("it-ondemand-a");
        pullImage(client, "it-ondemand-a");
        node("it-spot-a", "spot");

        assertThat(placeOf("second", 1)).isEqualTo("it-spot-a");
    }

    @Test
    void fillsTheFullestNodeOfAPool() {
        node("it-spot-a", "spot");
        var used = placeOf("first", 1);
        node("it-spot-b", "spot");
        node("it-spot-c", "spot");

        for (int number = 0; number < 3; number++) {
            assertThat(placeOf("next-" + number, 1)).isEqualTo(used);
        }
    }

    @Test
    void leavesAloneANodeThatTheScalerRemoves() {
        node("it-spot-a", "spot");
        fleet.edit("it-spot-a", node -> Cordon.set(node, new Removal(Removal.Reason.IDLE, Instant.EPOCH)));
        var pod = fleet.make(named("waits").gpus(1).tier("it-plugins"));
        fleet.condition(pod, "untolerated taint");

        fleet.edit("it-spot-a", Cordon::lift);
        assertThat(fleet.nodeOf(pod)).isEqualTo("it-spot-a");
    }

    @Test
    void placesNoPodOutsideItsTier() {
        node("it-other-a", "other");
        var pod = fleet.make(named("waits").gpus(1).tier("it-plugins"));
        fleet.condition(pod, "1 node(s) didn't match Pod's node affinity/selector");

        node("it-ondemand-a", "ondemand");
        assertThat(fleet.nodeOf(pod)).isEqualTo("it-ondemand-a");
    }

    private void node(String name, String machine) {
        fleet.node(name, 4, Map.of("it-machine", machine));
    }

    private String placeOf(String pod, int gpus) {
        return fleet.nodeOf(fleet.make(named(pod).gpus(gpus).tier("it-plugins")));
    }

    /** Lets the node report the image of the test's pods, large enough for the best score of ImageLocality. */
    private static void pullImage(KubernetesClient client, String node) {
        client.nodes()
                .withName(node)
                .editStatus(found -> new NodeBuilder(found)
                        .editStatus()
                        .addToImages(new ContainerImageBuilder()
                                .withNames("tensorflow:latest")
                                .withSizeBytes(100_000_000_000L)
                                .build())
                        .endStatus()
                        .build());
    }

    private static List<HasMetadata> poolsAndTier(KubernetesClient client) {
        var yaml = POOL.formatted("spot") + POOL.formatted("ondemand") + POOL.formatted("other") + TIER;
        return client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .items();
    }
}
