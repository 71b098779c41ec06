package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.bench.scoring.trace.TraceNode;
import dev.trainyard.bench.scoring.trace.TraceShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Expected values are computed by hand from the formulas of kube-scheduler 1.36. */
class InTreeTest {

    private static final TraceNode NODE = new TraceNode("n", 10_000, 1000, 4, "T4");

    @Test
    void kubeDefaultFavoursIdleNodesAndPodsThatBalanceThem() {
        var machine = new TraceMachine(NODE);
        machine.take(pod(4000, 100, 0, 0), new int[0]); // CPU 40 %, memory 10 %: balance 85

        // CPU 50 %, memory 50 % after: LeastAllocated (50 + 50) / 2; balance 100: 50 + (50 + 100 - 85) / 2 = 82.
        assertThat(InTree.kubeDefault().of(machine, pod(1000, 400, 0, 0))).isEqualTo(50 + 82);
        // CPU 70 %, memory 10 %: (30 + 90) / 2; balance 70: 50 + (50 + 70 - 85) / 2 = 67.
        assertThat(InTree.kubeDefault().of(machine, pod(3000, 0, 0, 0))).isEqualTo(60 + 67);
        // No requests: BalancedAllocation is skipped. (60 + 90) / 2.
        assertThat(InTree.kubeDefault().of(machine, pod(0, 0, 1, 1000))).isEqualTo(75);
    }

    @Test
    void divisionsAreCutOffOneByOne() {
        var machine = new TraceMachine(new TraceNode("n", 3000, 7, 1, "T4"));

        // CPU 2/3: 66, memory 6/7: 85, mean 75. CPU 1/3, memory 1/7: balance 90 (1 - 0.0952), before 100: 50 + 40 / 2 =
        // 70.
        assertThat(InTree.kubeDefault().of(machine, pod(1000, 1, 0, 0))).isEqualTo(75 + 70);
    }

    @Test
    void mostAllocatedWeighsTheResourcesThatThePodAsksFor() {
        var score = InTree.mostAllocated(new InTree.Weights(5, 1, 1));
        var machine = new TraceMachine(NODE);
        machine.take(pod(1000, 100, 2, 1000), new int[] {0, 1});
        machine.take(pod(0, 0, 1, 500), new int[] {2});

        // GPUs 3 of 4: 75; CPU 20, memory 30: (5 x 75 + 20 + 30) / 7 = 60.
        assertThat(score.of(machine, pod(1000, 200, 1, 1000))).isEqualTo(60);
        // Pods that request no whole GPU: (20 + 30) / 2.
        assertThat(score.of(machine, pod(1000, 200, 1, 500))).isEqualTo(25);
        assertThat(score.of(machine, pod(1000, 200, 0, 0))).isEqualTo(25);
    }

    @Test
    void mostAllocatedOnGpusCountsPartsToo() {
        var machine = new TraceMachine(NODE);
        machine.take(pod(0, 0, 1, 500), new int[] {2});

        assertThat(InTree.mostAllocatedGpu().of(machine, pod(1000, 200, 1, 333)))
                .isEqualTo(20); // 833 of 4000
        assertThat(InTree.mostAllocatedGpu().of(machine, pod(1000, 200, 0, 0))).isEqualTo(12);
        assertThat(InTree.mostAllocatedGpu().of(new TraceMachine(new TraceNode("c", 1, 1, 0, "")), pod(1, 1, 0, 0)))
                .isZero();
    }

    private static TraceShape pod(long cpu, long memory, int gpus, int milli) {
        return new TraceShape(cpu, memory, gpus, milli, List.of());
    }
}
