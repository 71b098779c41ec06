package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.plan.Plans.plan;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The order of pods if there are not enough machines for all. */
class FairnessTest {

    private final SnapshotFixture testCluster =
            new SnapshotFixture().pool("heavy", onDemand(4).max(1)).tier("t", "heavy");

    @Test
    void theHardestToPlaceComesFirst() {
        testCluster.waiting(1, "easy", "t", "nvidia.com/gpu", "1").waiting(1, "hard", "t", "nvidia.com/gpu", "4");

        assertThat(Plans.of(plan(testCluster), "hard-1")).isInstanceOf(Outcome.Growing.class);
        assertThat(Plans.of(plan(testCluster), "easy-1")).isInstanceOf(Outcome.Unplaced.class);
    }

    @Test
    void whatHasWaitedForTenMinutesComesBeforeWhatIsHarderAndYounger() {
        testCluster.waiting(1, "easy", "t", "nvidia.com/gpu", "1");
        for (int minute = 0; minute < 30; minute++) {
            testCluster.pods.removeIf(pod -> pod.getMetadata().getName().startsWith("hard"));
            testCluster.pods.add(created("hard-" + minute, testCluster.now, 0));
            assertThat(Plans.of(plan(testCluster), "easy-1"))
                    .as("minute %d", minute)
                    .isInstanceOf(minute < 10 ? Outcome.Unplaced.class : Outcome.Growing.class);
            testCluster.later(Duration.ofMinutes(1));
        }
    }

    @Test
    void anEasyPodOvertakesHardOnesThatHaveWaitedLongThemselves() {
        testCluster.waiting(1, "easy", "t", "nvidia.com/gpu", "1").later(Duration.ofMinutes(45));
        testCluster.pods.add(created("hard", testCluster.now.minus(Duration.ofMinutes(30)), 0));

        assertThat(Plans.of(plan(testCluster), "easy-1")).isInstanceOf(Outcome.Growing.class);
    }

    @Test
    void noWaitOutweighsPriority() {
        testCluster.waiting(1, "easy", "t", "nvidia.com/gpu", "1").later(Duration.ofDays(1));
        testCluster.pods.add(created("urgent", testCluster.now, 1));

        assertThat(Plans.of(plan(testCluster), "urgent")).isInstanceOf(Outcome.Growing.class);
        assertThat(Plans.of(plan(testCluster), "easy-1")).isInstanceOf(Outcome.Unplaced.class);
    }

    private static Pod created(String name, Instant at, int priority) {
        return new PodBuilder(Objects.waiting(name, "t", "nvidia.com/gpu", "4"))
                .editMetadata()
                .withCreationTimestamp(at.toString())
                .endMetadata()
                .editSpec()
                .withPriority(priority)
                .endSpec()
                .build();
    }
}
