package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Two replicas of the scheduler with leader election, each with its own extender. */
@WithControlPlane
@Tag("disruptive")
@ResourceLock(WithControlPlane.CLUSTER)
class SchedulerReplicasIT {

    private static final String ASKED = "trainyard_extender_calls_seconds_count{verb=\"choose\"}";

    private TestSchedulers testCluster;
    private TestFleet fleet;

    @BeforeEach
    void start(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) throws Exception {
        testCluster = TestSchedulers.open(controlPlane, client, "replicas-it");
        fleet = new TestFleet(controlPlane, client, namespace);
    }

    @AfterEach
    void stop(KubernetesClient client) {
        fleet.close();
        testCluster.close();
        lease(client).delete();
    }

    @Test
    void theOtherGoesOnWhenTheLeaderIsKilledInABurst(ControlPlane controlPlane, KubernetesClient client)
            throws Exception {
        var first = testCluster.startExtender();
        var second = testCluster.startExtender();
        var leader = testCluster.startScheduler("-1", configuration -> electing(configuration, first));
        var leading = TrainingGround.await("a leader", () -> Optional.ofNullable(holder(client)));
        testCluster.startScheduler("-2", configuration -> electing(configuration, second));
        var gpus = nodes();

        try (var ledger = GpuLedger.open(fleet, client, gpus)) {
            var pods = makeMany("led", 20);
            TrainingGround.awaitTrue("the burst has begun", () -> fleet.placed() > 0);
            assertThat(second.metric(ASKED)).as("who stands by does not ask").isZero();
            var killed = CompletableFuture.runAsync(() -> controlPlane.kill(leader));
            pods.addAll(makeMany("orphaned", 40));
            killed.join();

            pods.forEach(fleet::nodeOf);
            ledger.assertNothingOverCommitted(fleet.pods());
        }
        assertThat(holder(client)).isNotEqualTo(leading);
        assertThat(second.metric(ASKED)).isPositive();
        assertThat(fleet.pods())
                .as("the extenders' rules hold for both")
                .allSatisfy(pod -> assertThat(pod.getSpec().getNodeName()).startsWith("it-mine-"));
    }

    private List<Pod> makeMany(String name, int count) {
        var pods = new ArrayList<Pod>();
        for (int number = 0; number < count; number++) {
            pods.add(fleet.make(named(name + "-" + number).gpus(1 + number % 2).tier("it-burst")));
        }
        return pods;
    }

    /** Returns nodes with capacity for all pods inside the tier, and other nodes outside it. */
    private Map<String, Integer> nodes() {
        fleet.pool("it-mine", 8);
        fleet.pool("it-other", 8);
        fleet.tier("it-burst", "it-mine");
        var gpus = new LinkedHashMap<String, Integer>();
        for (int number = 0; number < 14; number++) {
            var pool = number < 12 ? "it-mine" : "it-other";
            fleet.node(pool + "-" + number, pool, 8);
            gpus.put(pool + "-" + number, 8);
        }
        return gpus;
    }

    /** Configures leader election as in the manifests, with a shorter lease, so that the other replica takes over sooner. */
    private void electing(ObjectNode configuration, RunningExtender extender) {
        testCluster.ask(configuration, extender.port());
        configuration
                .withObject("/leaderElection")
                .put("leaseDuration", "3s")
                .put("renewDeadline", "2s")
                .put("retryPeriod", "500ms");
    }

    private static @Nullable String holder(KubernetesClient client) {
        var lease = lease(client).get();
        return lease == null ? null : lease.getSpec().getHolderIdentity();
    }

    private static Resource<Lease> lease(KubernetesClient client) {
        return client.leases().inNamespace("trainyard-system").withName("trainyard-scheduler");
    }
}
