package dev.trainyard.extender.score;

import static dev.trainyard.extender.ClusterFixture.annotated;
import static dev.trainyard.extender.ClusterFixture.index;
import static dev.trainyard.extender.ClusterFixture.node;
import static dev.trainyard.extender.ClusterFixture.on;
import static dev.trainyard.extender.ClusterFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.workload.TypicalWorkload;
import dev.trainyard.extender.workload.WorkloadLearner;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

/**
 * Situations with an obviously best node. In most of them the wrong node has less left, so that only the measure of fragments finds the
 * right one.
 */
class FragmentationTest {

    private TypicalWorkload learned = TypicalWorkload.UNKNOWN;
    private final WorkloadLearner learner = new WorkloadLearner(workload -> learned = workload);
    private int seen;

    @Test
    void aSmallPodGoesToTheNodeThatIsBrokenAlreadyAndNotToTheIdleOne() {
        usually(20, pod("small", 1, 1));
        usually(80, pod("large", 8, 8));

        assertThatASmallPodLeavesTheIdleNodeAlone();
    }

    @Test
    void aSmallPodLeavesTheIdleNodeToASeldomLargePod() {
        usually(1, pod("large", 8, 8));
        usually(99, pod("small", 1, 1));

        assertThatASmallPodLeavesTheIdleNodeAlone();
    }

    @Test
    void aSmallPodStrandsNoGpuForASeldomLargePod() {
        usually(1, pod("large", 8, 8));
        usually(99, pod("small", 1, 1));
        var index = index(node("idle", 96, 8), node("tight", 4, 4));

        var pod = pod("wide", 4, 1);
        assertThat(leftover(index, "tight", pod)).isLessThan(leftover(index, "idle", pod));
        assertThat(level(index, "idle", pod)).isLessThan(level(index, "tight", pod));
    }

    @Test
    void aShareGoesToTheGpuThatHasJustThatMuchLeftAndOpensNoOther() {
        usually(97, pod("whole", 1, 1));
        usually(3, share(500, 1));
        var index = index(node("fresh", 8, 1), node("opened", 96, 1));
        index.put(on("opened", share(500, 1)));

        var pod = share(500, 1);
        assertThat(level(index, "opened", pod)).isLessThan(level(index, "fresh", pod));
    }

    @Test
    void aPodWithoutAGpuGoesWhereItStrandsNone() {
        usually(100, pod("typical", 8, 1));
        var index = index(node("free", 32, 4), node("taken", 120, 4));
        index.put(on("taken", pod("greedy", 0, 4)));

        var pod = pod("cpu", 8, 0);
        assertThat(leftover(index, "free", pod)).isLessThan(leftover(index, "taken", pod));
        assertThat(level(index, "taken", pod)).isZero();
        assertThat(level(index, "free", pod)).isEqualTo(100); // one of four GPUs has no CPUs left
    }

    @Test
    void aNodeThatHasNoRoomIsTheWorst() {
        usually(100, pod("large", 1, 8));
        var index = index(node("full", 1, 4), node("broken", 128, 8), node("gpuless", 1, 0));
        index.put(on("full", pod("all", 0, 4)));

        var pod = pod("small", 1, 1);
        var broken = rate(index, "broken", pod); // seven GPUs become useless, and eight are lost for large pods
        assertThat(broken.level()).isEqualTo(700 + 3 * 800);
        assertThat(rate(index, "full", pod)).isGreaterThan(broken);
        assertThat(rate(index, "gpuless", pod)).isGreaterThan(broken);
    }

    @Test
    void lessThanHalfALevelIsLeftToTheSecondKey() {
        usually(100, share(4, 1));
        var index = nodesWithAndWithoutAFreeGpu();

        assertThat(level(index, "with", pod("cpu", 1, 0))).isEqualTo(level(index, "without", pod("cpu", 1, 0)));
        assertThat(rate(index, "with", pod("cpu", 1, 0))).isLessThan(rate(index, "without", pod("cpu", 1, 0)));
    }

    @Test
    void moreThanHalfALevelIsNot() {
        usually(100, share(6, 1));
        var index = nodesWithAndWithoutAFreeGpu();

        assertThat(leftover(index, "with", pod("cpu", 1, 0))).isLessThan(leftover(index, "without", pod("cpu", 1, 0)));
        assertThat(rate(index, "with", pod("cpu", 1, 0))).isGreaterThan(rate(index, "without", pod("cpu", 1, 0)));
    }

    private void assertThatASmallPodLeavesTheIdleNodeAlone() {
        var index = index(node("idle", 16, 8), node("begun", 96, 8));
        index.put(on("begun", pod("first", 1, 1)));

        var pod = pod("small", 1, 1);
        assertThat(leftover(index, "idle", pod)).isLessThan(leftover(index, "begun", pod));
        assertThat(level(index, "begun", pod)).isLessThan(level(index, "idle", pod));
    }

    /** On node "with", each core that a pod takes leaves the GPU share of one typical pod unused. */
    private static NodeIndex nodesWithAndWithoutAFreeGpu() {
        return index(node("with", 10, 1), node("without", 64, 0));
    }

    @Test
    void amongEquallyGoodNodesTheOneThatIsFilledMostIsTheBest() {
        usually(100, pod("typical", 1, 1));
        var index = index(node("large", 64, 4), node("small", 32, 4), node("smallest", 16, 4));

        var pod = pod("typical", 1, 1);
        assertThat(rate(index, "smallest", pod)).isLessThan(rate(index, "small", pod));
        assertThat(rate(index, "small", pod)).isLessThan(rate(index, "large", pod));
    }

    private void usually(int times, Pod pod) {
        for (int i = 0; i < times; i++) {
            var another = new PodBuilder(pod)
                    .editMetadata()
                    .withUid("seen-" + seen++)
                    .endMetadata()
                    .build();
            learner.seen(PodFacts.of(another));
        }
    }

    private long level(NodeIndex index, String node, Pod pod) {
        return rate(index, node, pod).level();
    }

    private double leftover(NodeIndex index, String node, Pod pod) {
        return rate(index, node, pod).leftover();
    }

    private Rating rate(NodeIndex index, String node, Pod pod) {
        return PolicyName.FRAGMENTATION.with(learned).rate(PodFacts.of(pod).podClass(), index.get(node));
    }

    private static Pod share(int milli, int cores) {
        return annotated(pod("share", cores, 1), "trainyard.dev/gpu-milli", Integer.toString(milli));
    }
}
