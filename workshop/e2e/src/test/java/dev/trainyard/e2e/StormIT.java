package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invariants under storms of random pods. In every third storm the extender is stopped and restarted. */
@WithControlPlane
@Tag("disruptive")
@ResourceLock(WithControlPlane.CLUSTER)
class StormIT {

    private static TestSchedulers testCluster;

    private TestFleet fleet;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        testCluster = TestSchedulers.start(controlPlane, client, "storm-it");
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

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void overCommitsNothingAndLeavesNoPodWithoutAPlaceOrAReason(long seed, KubernetesClient client) throws Exception {
        var storm = new Storm(seed, fleet);
        storm.gather();
        boolean outages = seed % 3 == 0;

        try (var ledger = GpuLedger.open(fleet, client, storm.gpusOfNodes())) {
            storm.blow(outages ? StormIT::stopAndStart : number -> {});
            TrainingGround.awaitTrue("all pods have a node or no room", storm::hasSettled);

            var pods = fleet.pods();
            ledger.assertNothingOverCommitted(pods);
            assertThat(pods).filteredOn(Storm::isPlaced).isNotEmpty();
            assertThat(namesOf(pods, pod -> !Storm.isPlaced(pod) && !Storm.isExplained(pod)))
                    .as("pods without a place and without a reason")
                    .isEmpty();
            if (!outages) {
                assertThat(namesOf(pods, pod -> Storm.isPlaced(pod) && !storm.isWhereItMayBe(pod)))
                        .as("pods on nodes that the extender should have refused")
                        .isEmpty();
            }
        }
    }

    private static List<String> namesOf(List<Pod> pods, Predicate<Pod> which) {
        return pods.stream()
                .filter(which)
                .map(pod -> pod.getMetadata().getName() + " on " + pod.getSpec().getNodeName())
                .toList();
    }

    /** Stops the extender during some of the pods. */
    private static void stopAndStart(int number) {
        if (List.of(8, 24).contains(number)) {
            testCluster.extender().stop();
        } else if (List.of(14, 32).contains(number)) {
            testCluster.extender().startAgain();
        }
    }
}
