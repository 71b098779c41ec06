package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The choice of a real scheduler among several nodes, which follows the extender's scores. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class ExtenderScoreIT {

    private static TestSchedulers testCluster;

    private TestFleet fleet;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        testCluster = TestSchedulers.start(controlPlane, client, "score-it");
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
    void placesAPodOnTheTightestNodeOfThePreferredPool() {
        fleet.pool("it-spot", 4);
        fleet.pool("it-ondemand", 4);
        fleet.tier("it-heavy", "it-spot", "it-ondemand"); // differs from the order of names
        fleet.node("it-ondemand-a", "it-ondemand", 4);
        fleet.node("it-spot-a", "it-spot", 4);
        fleet.node("it-spot-b", "it-spot", 4);

        // The first by name among equal nodes wins. A used node has the tighter fit, and keeps winning until it is
        // full.
        for (int number = 0; number < 4; number++) {
            assertThat(placeOf("single-" + number, 1, "it-heavy")).isEqualTo("it-spot-a");
        }
        assertThat(placeOf("next", 1, "it-heavy")).isEqualTo("it-spot-b");
        assertThat(placeOf("large", 4, "it-heavy")).isEqualTo("it-ondemand-a");
    }

    @Test
    void fillsTheNodeThatFitsBest() {
        fleet.pool("it-any", 8);
        fleet.tier("it-any", "it-any");
        for (int gpus : new int[] {8, 4, 2, 1}) {
            fleet.node("it-with-" + gpus, "it-any", gpus);
        }
        for (int gpus : new int[] {1, 2, 4}) {
            assertThat(placeOf("takes-" + gpus, gpus, "it-any")).isEqualTo("it-with-" + gpus);
        }
    }

    @Test
    void neverLeavesAChoiceBetweenEqualNodesToChance() {
        fleet.pool("it-equal", 2);
        fleet.tier("it-equal", "it-equal");
        for (var letter : List.of("e", "c", "a", "f", "d", "b")) {
            fleet.node("it-equal-" + letter, "it-equal", 2);
        }
        for (var letter : List.of("a", "b", "c", "d", "e", "f")) {
            assertThat(placeOf("wants-" + letter, 2, "it-equal")).isEqualTo("it-equal-" + letter);
        }
    }

    private String placeOf(String pod, int gpus, String tier) {
        return fleet.nodeOf(fleet.make(named(pod).gpus(gpus).tier(tier)));
    }
}
