package dev.trainyard.scaler.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.lifecycle.Nodes;
import dev.trainyard.scaler.plan.Planner;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class LeavingPodsTest {

    private final Nodes world = new Nodes(new SnapshotFixture()
            .pool("p", Objects.spot(1))
            .pool("q", Objects.onDemand(1))
            .tier("t", "p", "q"));

    private final SnapshotFixture cluster = world.testCluster;

    @Test
    void requestsReplacementBeforePodIsEvicted() {
        announced("n");
        running("train", "n", pod -> pod);

        assertThat(leaving()).containsExactly("team/train");
        assertThat(growths()).containsExactly("p 1 2");
    }

    @Test
    void requestsNothingIfPodFitsElsewhere() {
        announced("n");
        running("train", "n", pod -> pod);
        world.node("m", Nodes.marked("usable-since", Nodes.LONG_AGO));

        assertThat(growths()).isEmpty();
        assertThat(Planner.plan(cluster.snapshot()).reserved()).containsExactly("m");
    }

    @Test
    void doesNotUseTheMachineUnderNoticeForPendingPods() {
        world.node(
                "n",
                node -> Nodes.marked("usable-since", Nodes.LONG_AGO)
                        .apply(node)
                        .editStatus()
                        .addNewCondition()
                        .withType("PreemptScheduled")
                        .withStatus("True")
                        .endCondition()
                        .endStatus());
        cluster.waiting(1, "new", "t", "nvidia.com/gpu", "1");

        assertThat(growths()).containsExactly("p 1 2");
    }

    @Test
    void leavesOutPodsThatNoControllerCreatesAgain() {
        announced("n");
        running("bare", "n", pod -> pod.editMetadata().withOwnerReferences().endMetadata());
        running("ended", "n", pod -> pod.editStatus().withPhase("Succeeded").endStatus());
        running(
                "daemon",
                "n",
                pod -> pod.editMetadata()
                        .editFirstOwnerReference()
                        .withKind("DaemonSet")
                        .endOwnerReference()
                        .endMetadata());
        running(
                "static",
                "n",
                pod -> pod.editMetadata()
                        .addToAnnotations("kubernetes.io/config.mirror", "x")
                        .endMetadata());
        running(
                "deleted",
                "n",
                pod -> pod.editMetadata()
                        .withDeletionTimestamp("2026-01-01T12:00:30Z")
                        .endMetadata());

        assertThat(leaving()).isEmpty();
    }

    @Test
    void countsEvictedPodUntilItsControllerHasReplacedIt() {
        announced("n");
        evicted("train", "2026-01-01T11:59:50Z");
        assertThat(leaving()).containsExactly("team/train");

        cluster.pods.add(new PodBuilder(Objects.waiting("again", "t", "nvidia.com/gpu", "1"))
                .editMetadata()
                .withCreationTimestamp("2026-01-01T11:59:51Z")
                .endMetadata()
                .build());
        assertThat(leaving()).isEmpty();
        assertThat(growths()).containsExactly("p 1 2");
    }

    /** A sibling that has been pending for long does not replace the evicted pod. */
    @Test
    void countsEvictedPodBesideItsOlderSiblings() {
        announced("n");
        evicted("train", "2026-01-01T12:00:10Z");
        cluster.waiting(1, "older", "t", "nvidia.com/gpu", "1");

        assertThat(growths()).containsExactly("p 1 3");
    }

    @Test
    void requestsMachineForMemberOfGang() {
        gangOfTwoPods("2");

        assertThat(growths()).containsExactly("p 2 3");
    }

    /** The member under notice counts once, although it both runs and will be pending. */
    @Test
    void requestsNothingForMemberOfIncompleteGang() {
        gangOfTwoPods("3");

        assertThat(growths()).isEmpty();
    }

    /** Creates two members of a gang: one on a machine under notice, one on another machine. */
    private void gangOfTwoPods(String size) {
        UnaryOperator<PodBuilder> member = pod -> pod.editMetadata()
                .addToAnnotations(Names.GANG, "g")
                .addToAnnotations(Names.GANG_SIZE, size)
                .endMetadata();
        announced("n");
        running("train", "n", member);
        world.node("m", Nodes.marked("usable-since", Nodes.LONG_AGO));
        running("other", "m", member);
    }

    /** Only one pod of the Job may run on a host. The pod's own machine does not keep it off the new one. */
    @Test
    void ignoresThePodItselfForAntiAffinity() {
        announced("n");
        running(
                "train",
                "n",
                pod -> pod.editMetadata()
                        .addToLabels("job", "x")
                        .endMetadata()
                        .editSpec()
                        .withNewAffinity()
                        .withNewPodAntiAffinity()
                        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                        .withTopologyKey("type")
                        .withNewLabelSelector()
                        .addToMatchLabels("job", "x")
                        .endLabelSelector()
                        .endRequiredDuringSchedulingIgnoredDuringExecution()
                        .endPodAntiAffinity()
                        .endAffinity()
                        .endSpec());

        assertThat(growths()).containsExactly("p 1 2");
    }

    @Test
    void keepsMinimumWithoutTheMachineUnderNotice() {
        cluster.pool("p", Objects.spot(1).min(1));
        announced("n");

        assertThat(growths()).containsExactly("p 1 2");
    }

    /** The Node object of a machine that is gone exists for a while. */
    @Test
    void machineUnderNoticeThatIsGoneIsReplacedOnce() {
        cluster.pool("p", Objects.spot(1).min(1));
        announced("n");
        cluster.cloud("p", 0);

        assertThat(growths()).containsExactly("p 0 1");
    }

    @Test
    void waitsForRecreatedPodsOnlyOnce() {
        announced("n");
        running("train", "n", pod -> pod);

        var plan = Planner.plan(cluster.snapshot());

        assertThat(plan.outcomes()).isEmpty();
        assertThat(plan.replacements()).containsOnlyKeys("uid-train");
    }

    private void announced(String name) {
        world.node(
                name,
                node -> Nodes.tainted("aws-node-termination-handler/spot-itn")
                        .apply(Nodes.marked("usable-since", Nodes.LONG_AGO).apply(node)));
    }

    private void running(String name, String node, UnaryOperator<PodBuilder> change) {
        cluster.pods.add(change.apply(new PodBuilder(Objects.running(name, node, "nvidia.com/gpu", "1"))
                        .editMetadata()
                        .addToAnnotations(Names.TIER, "t")
                        .addToAnnotations(Names.INJECTED, "tier t")
                        .endMetadata())
                .build());
    }

    private void evicted(String name, String at) {
        running(
                name,
                "n",
                pod -> pod.editMetadata()
                        .withDeletionTimestamp(Instant.parse(at).plusSeconds(90).toString())
                        .withDeletionGracePeriodSeconds(90L)
                        .endMetadata()
                        .editStatus()
                        .addNewCondition()
                        .withType("DisruptionTarget")
                        .withStatus("True")
                        .endCondition()
                        .endStatus());
    }

    private List<String> leaving() {
        return cluster.snapshot().leaving().stream().map(PendingPod::toString).toList();
    }

    private List<String> growths() {
        return Planner.plan(cluster.snapshot()).growths().stream()
                .map(growth -> "%s %d %d".formatted(growth.pool().name(), growth.from(), growth.to()))
                .toList();
    }
}
