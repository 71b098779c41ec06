package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A real scheduler's behaviour while the extender is down, restarts, or has a new certificate. */
@WithControlPlane
@Tag("disruptive")
@ResourceLock(WithControlPlane.CLUSTER)
class ExtenderOutageIT {

    private static final String KEPT = "1 node(s) kept for pods that ask for GPUs";

    private static TestSchedulers testCluster;
    private static Gate gate;

    private TestFleet fleet;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        testCluster = TestSchedulers.open(controlPlane, client, "outage-it");
        gate = Gate.to(testCluster.startExtender().port(), testCluster.vertx());
        testCluster.startScheduler("", gate.port());
    }

    @AfterAll
    static void stop() {
        testCluster.close();
    }

    @BeforeEach
    void open(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        fleet = new TestFleet(controlPlane, client, namespace);
    }

    @AfterEach
    void remove() {
        fleet.close();
    }

    @Test
    void doesNotStandInTheWayWhileItIsAway() throws Exception {
        fleet.node("it-gpus", 4);
        testCluster.extender().stop();
        try {
            assertThat(fleet.nodeOf(fleet.make(named("without-it"))))
                    .as("the scheduler goes on by itself")
                    .isEqualTo("it-gpus");
        } finally {
            testCluster.extender().startAgain();
        }
        fleet.condition(fleet.make(named("with-it-again")), KEPT);
    }

    @Test
    void placesABurstDuringWhichItRestarts(KubernetesClient client) {
        fleet.pool("it-burst", 8);
        fleet.tier("it-burst", "it-burst");
        var gpus = new LinkedHashMap<String, Integer>();
        for (int number = 0; number < 10; number++) {
            fleet.node("it-burst-" + number, "it-burst", 8);
            gpus.put("it-burst-" + number, 8);
        }
        try (var ledger = GpuLedger.open(fleet, client, gpus)) {
            var pods = makeMany("before", 15);
            TrainingGround.awaitTrue("the burst has begun", () -> fleet.placed() > 0);
            var stopped = CompletableFuture.runAsync(testCluster.extender()::stop);
            pods.addAll(makeMany("stopping", 15));
            stopped.join();
            var started = CompletableFuture.runAsync(testCluster.extender()::startAgain);
            pods.addAll(makeMany("starting", 15));
            started.join();
            pods.addAll(makeMany("after", 15));

            pods.forEach(fleet::nodeOf);
            ledger.assertNothingOverCommitted(fleet.pods());
            assertThat(testCluster.extender().metric("trainyard_extender_calls_seconds_count{verb=\"choose\"}"))
                    .as("asked again after the restart")
                    .isPositive();
        }
    }

    @Test
    void goesOnWithANewCertificateWhileTheSchedulerIsConnected() throws Exception {
        fleet.node("it-gpus", 4);
        fleet.condition(fleet.make(named("before")), KEPT);
        int before = gate.connections();
        var old = PresentedCertificate.of(testCluster.extender().port());

        // The extender issues a new certificate at its next check.
        Files.delete(testCluster.extender().tls().resolve("tls.crt"));
        TrainingGround.awaitTrue(
                "it presents a new certificate",
                () -> !PresentedCertificate.of(testCluster.extender().port()).equals(old));
        fleet.condition(fleet.make(named("on-the-old-connection")), KEPT);
        assertThat(gate.connections()).as("the scheduler's connection was kept").isEqualTo(before);

        gate.cut();
        fleet.condition(fleet.make(named("on-a-new-connection")), KEPT);
        assertThat(gate.connections()).isGreaterThan(before);
    }

    private List<Pod> makeMany(String name, int count) {
        var pods = new ArrayList<Pod>();
        for (int number = 0; number < count; number++) {
            pods.add(fleet.make(named(name + "-" + number).gpus(1).tier("it-burst")));
        }
        return pods;
    }
}
