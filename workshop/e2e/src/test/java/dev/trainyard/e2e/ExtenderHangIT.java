package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A real scheduler's behaviour while the extender's port accepts connections but no call is answered, with the manifests' timeout. */
@WithControlPlane
@Tag("disruptive")
@ResourceLock(WithControlPlane.CLUSTER)
class ExtenderHangIT {

    private static TestSchedulers testCluster;
    private static Gate gate;

    private TestFleet fleet;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        testCluster = TestSchedulers.open(controlPlane, client, "hang-it");
        gate = Gate.to(testCluster.startExtender().port(), testCluster.vertx());
        testCluster.startScheduler("", configuration -> {
            var timeout = configuration.at("/extenders/0/httpTimeout").asText();
            testCluster.ask(configuration, gate.port());
            ((ObjectNode) configuration.at("/extenders/0")).put("httpTimeout", timeout);
            configuration.withObject("/leaderElection").put("leaderElect", false);
        });
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
    void costsNoMoreThanItsTimeOutWhileItHangs() {
        // Two nodes, so that the scheduler calls both filter and prioritize.
        fleet.node("it-gpus-a", 4);
        fleet.node("it-gpus-b", 4);
        int before = gate.connections();
        gate.getStuck();
        try {
            var started = Instant.now();
            Stream.of("a", "b", "c", "d", "e")
                    .map(name -> fleet.make(named(name)))
                    .toList()
                    .forEach(fleet::nodeOf);
            // The pods are scheduled one after the other: 5 pods x 2 calls x 2 s, and twice that on a busy machine. The
            // scheduler's default timeout of 5 s would take 50 s.
            assertThat(Duration.between(started, Instant.now()))
                    .isBetween(Duration.ofSeconds(18), Duration.ofSeconds(45));
            assertThat(gate.connections() - before).as("calls that hang").isGreaterThanOrEqualTo(10);
        } finally {
            gate.free();
        }
        TrainingGround.awaitTrue("it is asked, and answers in time again", this::isAnswered);
    }

    @Test
    void saysThatItWasTooLateForAPod(KubernetesClient client) {
        // Two nodes, so that the scheduler calls the extender. The first pod opens the connection that the next call
        // will use. It is deleted, so that the next call is not a retry for it. On a new connection no call would
        // arrive: after the timeout, Go's client only completes the handshake.
        fleet.node("it-gpus-a", 4);
        fleet.node("it-gpus-b", 4);
        TrainingGround.awaitTrue("it is asked, and answers", this::isAnswered);
        client.resourceList(fleet.pods()).withGracePeriod(0).delete();
        TrainingGround.awaitTrue("nothing is tried again", () -> fleet.pods().isEmpty());
        var held = gate.hold();
        var pod = fleet.make(named("too-late"));
        fleet.nodeOf(pod);
        held.complete();

        TrainingGround.awaitTrue(
                "the pod has an Event that says so",
                () -> eventsOf(client, pod).stream()
                        .anyMatch(event -> "ExtenderTimeout".equals(event.getReason())
                                && event.getNote().startsWith("the extender did not answer in time")));
    }

    private static List<Event> eventsOf(KubernetesClient client, Pod pod) {
        return client.resources(Event.class).inNamespace(pod.getMetadata().getNamespace()).list().getItems().stream()
                .filter(event ->
                        pod.getMetadata().getUid().equals(event.getRegarding().getUid()))
                .toList();
    }

    private boolean isAnswered() {
        var pod = fleet.make(named("again-" + fleet.pods().size()));
        return TrainingGround.await(
                "the scheduler has tried to place " + pod.getMetadata().getName(), () -> {
                    var found = fleet.read(pod);
                    return Storm.isPlaced(found) || Storm.isExplained(found)
                            ? Optional.of(!Storm.isPlaced(found))
                            : Optional.empty();
                });
    }
}
