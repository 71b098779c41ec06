package dev.trainyard.scaler.loop;

import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingTimesTest {

    private final PendingTimes times = new PendingTimes();
    private final List<String> measured = new ArrayList<>();
    private final SnapshotFixture testCluster = new SnapshotFixture()
            .pool("light", spot(1))
            .tier("gpu", "light")
            .waiting(1, "train", "gpu", "nvidia.com/gpu", "1");

    @Test
    void measuresFromCreationUntilTheLastContainerRan() {
        observe();
        runs("2026-01-01T12:03:20Z", "2026-01-01T12:03:30Z");
        testCluster.later(Duration.ofHours(1));
        observe();
        observe();
        assertThat(measured).containsExactly("light PT3M30S");
    }

    @Test
    void waitsUntilAllContainersRan() {
        observe();
        runs("2026-01-01T12:03:20Z", null);
        observe();
        assertThat(measured).isEmpty();
    }

    @Test
    void doesNotCountPodsThatItNeverSawWaiting() {
        runs("2026-01-01T12:03:20Z");
        observe();
        assertThat(measured).isEmpty();
    }

    private void observe() {
        times.observe(testCluster.snapshot(), testCluster.pods, (pool, pending) -> measured.add(pool + " " + pending));
    }

    private void runs(String... starts) {
        testCluster
                .node("n1", "light")
                .cloud("light", 1, SnapshotFixture.machine("light", "n1", State.RUNNING, Objects.NOON));
        Pod pod = new PodBuilder(testCluster.pods.remove(0))
                .editSpec()
                .withNodeName("n1")
                .endSpec()
                .editStatus()
                .withPhase("Running")
                .withConditions(List.of())
                .endStatus()
                .build();
        for (var start : starts) {
            var status = new PodBuilder(pod).editStatus().addNewContainerStatus();
            pod = (start == null
                            ? status.withNewState()
                                    .withNewWaiting()
                                    .endWaiting()
                                    .endState()
                            : status.withNewState()
                                    .withNewRunning()
                                    .withStartedAt(start)
                                    .endRunning()
                                    .endState())
                    .endContainerStatus()
                    .endStatus()
                    .build();
        }
        testCluster.pods.add(pod);
    }
}
