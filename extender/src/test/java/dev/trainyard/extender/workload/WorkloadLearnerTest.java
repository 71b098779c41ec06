package dev.trainyard.extender.workload;

import static dev.trainyard.extender.ClusterFixture.on;
import static dev.trainyard.extender.ClusterFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.trainyard.extender.pod.PodFacts;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

class WorkloadLearnerTest {

    private TypicalWorkload learned = TypicalWorkload.UNKNOWN;
    private final WorkloadLearner learner = new WorkloadLearner(workload -> learned = workload);

    @Test
    void knowsTheSharesOfWhatWasAskedFor() {
        for (int i = 0; i < 300; i++) {
            see(i % 3 == 0 ? pod("large-" + i, 8, 8) : pod("small-" + i, 1, 1));
        }

        assertThat(learned.typical()).hasSize(2);
        assertThat(learned.typical().get(0).pod().gpus().count()).isEqualTo(1);
        assertThat(learned.typical().get(0).share()).isCloseTo(2 / 3.0, offset(0.05));
        assertThat(learned.typical().stream()
                        .mapToDouble(typical -> typical.share())
                        .sum())
                .isCloseTo(1, offset(1e-9));
    }

    @Test
    void countsAPodOnceHoweverOftenItIsSeen() {
        for (int i = 0; i < 200; i++) {
            see(pod("once", 8, 8));
            see(on("node", pod("once", 8, 8)));
        }
        for (int i = 0; i < 20; i++) {
            see(pod("small-" + i, 1, 1));
        }

        assertThat(learned.typical().get(0).pod().gpus().count()).isEqualTo(1);
    }

    @Test
    void forgetsWhatIsNotAskedForAnyMore() {
        for (int i = 0; i < 2_000; i++) {
            see(pod("old-" + i, 8, 8));
        }
        for (int i = 0; i < 12_000; i++) {
            see(pod("new-" + i, 1, 1));
        }

        assertThat(learned.typical().get(0).pod().gpus().count()).isEqualTo(1);
        // The 2,000 old pods lost half of their weight four times. The 12,000 new pods together have the weight of
        // about 4,100 pods that have lost no weight.
        assertThat(learned.typical().get(1).share()).isLessThan(0.04);
    }

    @Test
    void tellsPodsWithoutAUidApartByName() {
        for (int i = 0; i < 200; i++) {
            see(new PodBuilder(pod("pod-" + i, i % 2 == 0 ? 8 : 1, i % 2 == 0 ? 8 : 1))
                    .editMetadata()
                    .withUid(null)
                    .endMetadata()
                    .build());
        }

        assertThat(learned.typical().get(0).share()).isCloseTo(0.5, offset(0.05));
    }

    @Test
    void learnsNothingFromPodsOfOtherSchedulers() {
        see(new PodBuilder(pod("other", 8, 8))
                .editSpec()
                .withSchedulerName("default-scheduler")
                .endSpec()
                .build());

        assertThat(learned).isEqualTo(TypicalWorkload.UNKNOWN);
    }

    private void see(Pod pod) {
        learner.seen(PodFacts.of(pod));
    }
}
