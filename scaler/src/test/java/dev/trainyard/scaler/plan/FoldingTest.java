package dev.trainyard.scaler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

class FoldingTest {

    private final SnapshotFixture testCluster = new SnapshotFixture().lightGpu();

    @Test
    void workersOfAnIndexedJobAndOfAStatefulSetAreOneDemandEach() {
        for (int i = 0; i < 8; i++) {
            testCluster.pods.add(new PodBuilder(Objects.waiting("job-" + i, "light-gpu", "nvidia.com/gpu", "1"))
                    .editMetadata()
                    .addToLabels("batch.kubernetes.io/job-completion-index", "" + i)
                    .addToAnnotations("batch.kubernetes.io/job-completion-index", "" + i)
                    .endMetadata()
                    .build());
            testCluster.pods.add(new PodBuilder(Objects.waiting("set-" + i, "light-gpu", "cpu", "1"))
                    .editMetadata()
                    .addToLabels("apps.kubernetes.io/pod-index", "" + i)
                    .addToLabels("statefulset.kubernetes.io/pod-name", "set-" + i)
                    .endMetadata()
                    .build());
        }

        assertThat(folding().demands())
                .hasSize(2)
                .allSatisfy(demand -> assertThat(demand.size()).isEqualTo(8));
    }

    @Test
    void podsOfDifferentPriorityOrGangAreNot() {
        testCluster
                .waiting(2, "plain", "light-gpu", "nvidia.com/gpu", "1")
                .gang("llm", "2", 2, "member", "light-gpu", "nvidia.com/gpu", "1");
        testCluster.pods.add(new PodBuilder(Objects.waiting("urgent", "light-gpu", "nvidia.com/gpu", "1"))
                .editSpec()
                .withPriority(5)
                .endSpec()
                .build());

        assertThat(folding().demands()).extracting(Demand::size).containsExactlyInAnyOrder(2, 2, 1);
    }

    private Folding folding() {
        var snapshot = testCluster.snapshot();
        return Folding.of(snapshot.waiting(), snapshot.neighbours(), snapshot.deadlines(), snapshot.now());
    }
}
