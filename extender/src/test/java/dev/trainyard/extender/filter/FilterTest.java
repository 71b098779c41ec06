package dev.trainyard.extender.filter;

import static dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes.ALWAYS;
import static dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes.LAST;
import static dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes.NEVER;
import static dev.trainyard.extender.ClusterFixture.annotated;
import static dev.trainyard.extender.ClusterFixture.index;
import static dev.trainyard.extender.ClusterFixture.labelled;
import static dev.trainyard.extender.ClusterFixture.node;
import static dev.trainyard.extender.ClusterFixture.nodes;
import static dev.trainyard.extender.ClusterFixture.pod;
import static dev.trainyard.extender.ClusterFixture.removing;
import static dev.trainyard.extender.ClusterFixture.tiered;
import static dev.trainyard.extender.filter.FilterRefusal.GPUS_NOT_REPORTED;
import static dev.trainyard.extender.filter.FilterRefusal.KEPT_FOR_GPU_PODS;
import static dev.trainyard.extender.filter.FilterRefusal.MALFORMED_WISH;
import static dev.trainyard.extender.filter.FilterRefusal.NOT_LABELLED;
import static dev.trainyard.extender.filter.FilterRefusal.OTHER_PRODUCT;
import static dev.trainyard.extender.filter.FilterRefusal.OUTSIDE_TIER;
import static dev.trainyard.extender.filter.FilterRefusal.RECLAIM_ANNOUNCED;
import static dev.trainyard.extender.filter.FilterRefusal.REMOVING;
import static dev.trainyard.extender.filter.FilterRefusal.TOO_LITTLE_MEMORY;
import static dev.trainyard.extender.filter.FilterRefusal.UNKNOWN_KIND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.extender.ClusterFixture;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FilterTest {

    private static final Node CPU_NODE = node("cpu-node", "cpu", 4, 0);
    private static final Node GPU_NODE = node("gpu-node", "heavy-spot", 24, 4);
    private static final Node POOLLESS_GPU_NODE = node("poolless", 24, 4);
    private static final Pod CPU_POD = pod("cpu-pod", 1, 0);
    private static final Pod GPU_POD = pod("gpu-pod", 1, 1);

    @Test
    void passesNodesItHasNothingAgainst() {
        var verdicts = judge(NEVER, GPU_POD, GPU_NODE, POOLLESS_GPU_NODE);

        assertThat(verdicts.passed()).containsExactly("gpu-node", "poolless");
        assertThat(verdicts.refused()).isEmpty();
        assertThat(verdicts.leaveNone()).isFalse();
    }

    @Test
    void passesNodesThatAreNotKnownYet() {
        var verdicts = judge(NEVER, GPU_POD, List.of("new", "gpu-node"), index(removing(GPU_NODE)));

        assertThat(verdicts.passed()).containsExactly("new");
        assertThat(verdicts.refused()).containsExactly(entry("gpu-node", REMOVING));
    }

    @Test
    void leavesCapacityToTheScheduler() {
        assertThat(judge(NEVER, pod("large", 1000, 1000), GPU_NODE).passed()).containsExactly("gpu-node");
    }

    @Test
    void refusesNodesThatTheScalerIsRemoving() {
        assertThat(judge(ALWAYS, GPU_POD, removing(GPU_NODE)).refused()).containsExactly(entry("gpu-node", REMOVING));
    }

    /** The extender refuses the node before the scaler has tainted it. */
    @Test
    void refusesNodesThatTheCloudWillReclaim() {
        var condition = new NodeBuilder(GPU_NODE)
                .editOrNewStatus()
                .addNewCondition()
                .withType("PreemptionScheduled")
                .withStatus("True")
                .withMessage("Preempt Started: .")
                .withLastTransitionTime(Instant.now().toString())
                .endCondition()
                .endStatus();

        assertThat(judge(ALWAYS, GPU_POD, condition.build()).refused())
                .containsExactly(entry("gpu-node", RECLAIM_ANNOUNCED));

        condition
                .editStatus()
                .editMatchingCondition(is -> is.getType().equals("PreemptionScheduled"))
                .withLastTransitionTime(Instant.now().minusSeconds(400).toString())
                .endCondition()
                .endStatus();
        assertThat(judge(ALWAYS, GPU_POD, condition.build()).passed()).containsExactly("gpu-node");
    }

    @Test
    void refusesNodesWhoseMachineHasBeenReportedBrokenForTwoMinutes() {
        assertThat(judge(ALWAYS, GPU_POD, broken(130)).refused())
                .containsExactly(entry("gpu-node", FilterRefusal.SICK));
        assertThat(judge(ALWAYS, GPU_POD, broken(60)).passed()).containsExactly("gpu-node");
    }

    /** Only the scaler knows which GPUs the node once had. */
    @Test
    void refusesNodesThatHaveLackedGpusForTheProvisionTimeoutAsTheScalerNotes() {
        assertThat(judge(ALWAYS, GPU_POD, lost(901)).refused()).containsExactly(entry("gpu-node", FilterRefusal.SICK));
        assertThat(judge(ALWAYS, GPU_POD, lost(800)).passed()).containsExactly("gpu-node");
    }

    private static Node lost(int seconds) {
        return new NodeBuilder(GPU_NODE)
                .editMetadata()
                .addToAnnotations(
                        Names.NOTICED_SINCE, "lost GPUs " + Instant.now().minusSeconds(seconds))
                .endMetadata()
                .build();
    }

    private static Node broken(int seconds) {
        return new NodeBuilder(GPU_NODE)
                .editOrNewStatus()
                .addNewCondition()
                .withType("AcceleratedHardwareReady")
                .withStatus("False")
                .withLastTransitionTime(Instant.now().minusSeconds(seconds).toString())
                .endCondition()
                .endStatus()
                .build();
    }

    @Test
    void passesNodesThatTheCloudOnlyRecommendsToLeave() {
        var node = new NodeBuilder(GPU_NODE)
                .editOrNewStatus()
                .addNewCondition()
                .withType("PreemptionScheduled")
                .withStatus("True")
                .withMessage("SpotRebalanceRecommendation Advisory: .")
                .endCondition()
                .endStatus()
                .build();

        assertThat(judge(ALWAYS, GPU_POD, node).passed()).containsExactly("gpu-node");
    }

    @Test
    void leavesGpusThatAreNotReportedYetToTheScheduler() {
        assertThat(judge(NEVER, GPU_POD, node("starting", "heavy-spot", 24, 0)).passed())
                .containsExactly("starting");
    }

    @Test
    void keepsCpuPodsOffGpuNodes() {
        var verdicts = judge(NEVER, CPU_POD, GPU_NODE, POOLLESS_GPU_NODE, CPU_NODE);

        assertThat(verdicts.passed()).containsExactly("cpu-node");
        assertThat(verdicts.refused())
                .containsExactly(entry("gpu-node", KEPT_FOR_GPU_PODS), entry("poolless", KEPT_FOR_GPU_PODS));
    }

    @Test
    void keepsCpuPodsOffGpuNodesWhoseDriverIsStillStarting() {
        assertThat(judge(NEVER, CPU_POD, node("starting", "heavy-spot", 24, 0)).refused())
                .containsExactly(entry("starting", KEPT_FOR_GPU_PODS));
    }

    @Test
    void neverLeavesCpuPodsWithoutANodeRatherThanOnAGpuNode() {
        assertThat(judge(NEVER, CPU_POD, GPU_NODE).leaveNone()).isTrue();
    }

    @Test
    void lastGivesGpuNodesToCpuPodsOnlyWhenNothingElseIsLeft() {
        assertThat(judge(LAST, CPU_POD, GPU_NODE, CPU_NODE).passed()).containsExactly("cpu-node");

        var verdicts = judge(LAST, CPU_POD, GPU_NODE, removing(CPU_NODE));
        assertThat(verdicts.passed()).containsExactly("gpu-node");
        assertThat(verdicts.refused()).containsExactly(entry("cpu-node", REMOVING));
    }

    @Test
    void alwaysGivesGpuNodesToCpuPods() {
        assertThat(judge(ALWAYS, CPU_POD, GPU_NODE, CPU_NODE).passed()).containsExactly("gpu-node", "cpu-node");
    }

    /** A DaemonSet's pod cannot use another node. */
    @Test
    void letsPodsUseTheGpuNodeThatTheirAffinityNames() {
        assertThat(judge(NEVER, ClusterFixture.named(CPU_POD, "gpu-node"), GPU_NODE)
                        .passed())
                .containsExactly("gpu-node");
    }

    @Test
    void refusesNodesOfPoolsOutsideTheTier() {
        var light = node("light", "light-spot", 6, 1);
        var verdicts = judge(NEVER, pod("tiered", "heavy", 1, 1), light, GPU_NODE, POOLLESS_GPU_NODE);

        assertThat(verdicts.passed()).containsExactly("gpu-node", "poolless");
        assertThat(verdicts.refused()).containsExactly(entry("light", OUTSIDE_TIER));
    }

    @Test
    void letsATierSendItsCpuPodsToItsGpuNodes() {
        var verdicts = judge(NEVER, pod("parameter-server", "heavy", 1, 0), GPU_NODE, POOLLESS_GPU_NODE);

        assertThat(verdicts.passed()).containsExactly("gpu-node");
        assertThat(verdicts.refused()).containsExactly(entry("poolless", KEPT_FOR_GPU_PODS));
    }

    @Test
    void treatsAPodOfAnUnknownTierAsOneWithoutATier() {
        assertThat(judge(NEVER, pod("orphan", "deleted-tier", 1, 1), GPU_NODE).passed())
                .containsExactly("gpu-node");
    }

    @Test
    void saysHowManyNodesItRefusedForEachReason() {
        var index = index(GPU_NODE, POOLLESS_GPU_NODE, removing(CPU_NODE));
        var verdicts = new Filter(InstantSource.system())
                .judge(tiered(CPU_POD), nodes(index, List.of("gpu-node", "poolless", "cpu-node")));

        assertThat(verdicts.leaveNone()).isTrue();
        assertThat(verdicts.histogram())
                .containsOnly(entry("node(s) kept for pods that ask for GPUs", 2), entry("node(s) being removed", 1));
    }

    @Test
    void keepsPodsThatShareGpusFromNodesThatReportNoneYet() {
        var sharing = annotated(pod("sharing", "heavy", 1, 0), "trainyard.dev/gpu-milli", "500");

        assertThat(judge(NEVER, sharing, node("starting", "heavy-spot", 24, 0), GPU_NODE)
                        .refused())
                .containsExactly(entry("starting", GPUS_NOT_REPORTED));
    }

    @Test
    void refusesGpusOfAnotherProductAndOfAKindThatNobodyStated() {
        var wishing = annotated(GPU_POD, "trainyard.dev/gpu-product", "V100|A100");
        var labelled = labelled(POOLLESS_GPU_NODE, "nvidia.com/gpu.product", "Tesla-K80");

        assertThat(judge(NEVER, wishing, node("promised", "v100", 24, 4), labelled, GPU_NODE))
                .isEqualTo(new Judged(
                        List.of("promised"), Map.of("poolless", OTHER_PRODUCT, "gpu-node", UNKNOWN_KIND), false));
    }

    @Test
    void refusesGpusWithTooLittleMemoryByLabelBeforePromise() {
        var wishing = annotated(GPU_POD, "trainyard.dev/gpu-memory", "24Gi");
        var large = labelled(node("large", "v100", 24, 4), "nvidia.com/gpu.memory", "32768");

        assertThat(judge(NEVER, wishing, node("promised", "v100", 24, 4), large))
                .isEqualTo(new Judged(List.of("large"), Map.of("promised", TOO_LITTLE_MEMORY), false));
    }

    @Test
    void refusesAllNodesToAPodWhoseWishCannotBeUnderstood() {
        assertThat(judge(NEVER, annotated(GPU_POD, "trainyard.dev/gpu-memory", "a lot"), GPU_NODE)
                        .refused())
                .containsExactly(entry("gpu-node", MALFORMED_WISH));
    }

    /** The cloud knows the node's pool, and the scaler will label the node. */
    @Test
    void refusesANewNodeThatMayBeOfAPoolOutsideTheTierUntilItIsLabelled() {
        var tiered = pod("tiered", "heavy", 1, 1);

        assertThat(judge(tiered, 59)).contains(NOT_LABELLED);
        assertThat(judge(tiered, 60)).as("it is nobody's").isEmpty();
        assertThat(judge(pod("waiting", "without-pools", 1, 1), 59)).contains(NOT_LABELLED);
        assertThat(judge(GPU_POD, 59)).as("it has no tier").isEmpty();
        assertThat(judge(pod("unknown", "no-such-tier", 1, 1), 59)).isEmpty();
    }

    /** Returns why a pod is refused on a node without labels, {@code seconds} after the node joined; empty if it is not. */
    private static Optional<FilterRefusal> judge(Pod pod, int seconds) {
        var joined = Instant.parse("2026-01-01T12:00:00Z");
        var index = new NodeIndex(() -> joined.plusSeconds(1));
        index.configure(ClusterFixture.CATALOGUE);
        index.put(new NodeBuilder(POOLLESS_GPU_NODE)
                .editMetadata()
                .withCreationTimestamp(joined.toString())
                .endMetadata()
                .build());
        var verdicts =
                new Filter(() -> joined.plusSeconds(seconds)).judge(tiered(pod), nodes(index, List.of("poolless")));
        return verdicts.refused().stream().map(Verdicts.Refused::why).findFirst();
    }

    /** {@link Verdicts} with names instead of nodes. */
    private record Judged(List<String> passed, Map<String, FilterRefusal> refused, boolean leaveNone) {}

    private static Judged judge(CpuPodsOnGpuNodes policy, Pod pod, Node... nodes) {
        var names = Stream.of(nodes).map(node -> node.getMetadata().getName()).toList();
        return judge(policy, pod, names, index(nodes));
    }

    private static Judged judge(CpuPodsOnGpuNodes policy, Pod pod, List<String> names, NodeIndex index) {
        var verdicts = new Filter(InstantSource.system())
                .judge(TieredPod.of(PodFacts.of(pod), ClusterFixture.CATALOGUE.with(policy)), nodes(index, names));
        var refused = new LinkedHashMap<String, FilterRefusal>();
        verdicts.refused().forEach(node -> refused.put(node.node().name(), node.why()));
        return new Judged(verdicts.passed().stream().map(IndexedNode::name).toList(), refused, verdicts.leaveNone());
    }
}
