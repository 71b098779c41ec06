package dev.trainyard.scaler.lifecycle;

import static dev.trainyard.scaler.lifecycle.Nodes.LONG_AGO;
import static dev.trainyard.scaler.lifecycle.Nodes.cordoned;
import static dev.trainyard.scaler.lifecycle.Nodes.marked;
import static dev.trainyard.scaler.lifecycle.Nodes.removing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.plan.Exclusions;
import dev.trainyard.scaler.plan.Offers;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.Machine;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Noon is the time of the snapshot. */
class SickMachineTest {

    private static final String NOTICE =
            "the machine is sick: condition AcceleratedHardwareReady False since 2026-01-01T11:50:00Z";
    private static final String BEGUN = "sick, 2026-01-01T11:55:00Z";

    private final Nodes world = nodes("0s", "10%");

    @Test
    void taintsNodeAndEvictsItsPodsInOneStep() {
        world.node("n", broken()).running("train", "n", "nvidia.com/gpu", "1");

        var step = (Verdict.Drain) verdict(world, "n").step();

        assertThat(step.removal()).isEqualTo(new Removal(Removal.Reason.SICK, Objects.NOON));
        assertThat(step.eviction().pods()).extracting(Object::toString).containsExactly("team/train");
        assertThat(step.eviction().reclaim()).isEmpty();
        assertThat(world.judge("n")).isEqualTo("sick Drain: " + NOTICE);
    }

    @Test
    void plansForPodsBeforeTheyAreEvicted() {
        world.node("n", broken()).running("train", "n", "nvidia.com/gpu", "1");

        assertThat(world.testCluster.snapshot().leaving()).hasSize(1);
    }

    @Test
    void waitsWhileTheReportIsYoung() {
        world.node("n", reported("False", "2026-01-01T11:59:00Z")).running("train", "n", "nvidia.com/gpu", "1");

        assertThat(world.judge("n"))
                .isEqualTo("busy Keep: 1 pod uses 100 % of its GPUs; condition AcceleratedHardwareReady False; "
                        + "the machine counts as sick from 2026-01-01T12:01:00Z on");
        assertThat(world.testCluster.snapshot().leaving()).isEmpty();
    }

    @Test
    void keepsPodThatMustNotBeInterrupted() {
        world.node("n", broken()).running("train", "n", "nvidia.com/gpu", "1");
        world.lastPod(pod -> pod.editMetadata()
                .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                .endMetadata());

        assertThat(world.judge("n"))
                .isEqualTo(
                        "sick Keep: " + NOTICE
                                + "; pod team/train must not be interrupted: it is marked trainyard.dev/do-not-disrupt: \"true\"");
        assertThat(world.testCluster.snapshot().leaving()).isEmpty();

        var begun = nodes("0s", "10%");
        begun.node("n", both(broken(), removing(BEGUN))).running("train", "n", "nvidia.com/gpu", "1");
        begun.lastPod(pod -> pod.editMetadata()
                .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                .endMetadata());
        assertThat(begun.judge("n")).startsWith("sick Keep: " + NOTICE + "; pod team/train must not be interrupted");
    }

    @Test
    void replacesAnotherMachineWhileOnlyBlockedPodsAreLeftOnTheFirst() {
        for (var first : List.of(broken(), both(broken(), removing(BEGUN)))) {
            var two = nodes("0s", "10%");
            two.node("m", first).running("blocked", "m", "nvidia.com/gpu", "1");
            two.lastPod(pod -> pod.editMetadata()
                    .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                    .endMetadata());
            two.node("n", reported("False", "2026-01-01T11:55:00Z")).running("train", "n", "nvidia.com/gpu", "1");

            assertThat(two.judge("m")).contains("sick Keep: ").contains("pod team/blocked must not be interrupted");
            assertThat(two.judge("n")).startsWith("sick Drain: ");
        }
    }

    @Test
    void beginsOnceOnePodCanLeave() {
        world.node("n", broken()).running("train", "n", "nvidia.com/gpu", "1");
        world.testCluster.running("blocked", "n", "cpu", "1");
        world.lastPod(pod -> pod.editMetadata()
                .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                .endMetadata());

        assertThat(((Verdict.Drain) verdict(world, "n").step()).eviction().pods())
                .extracting(Object::toString)
                .containsExactly("team/train");
    }

    @Test
    void requestsNoMachineForPodWhoseBudgetAllowsNoEviction() {
        world.node("n", both(broken(), removing(BEGUN))).running("train", "n", "nvidia.com/gpu", "1");
        budget(0);
        assertThat(world.judge("n"))
                .isEqualTo("sick Keep: " + NOTICE + "; the disruption budgets of pod team/train allow no eviction");
        assertThat(world.testCluster.snapshot().leaving()).isEmpty();

        budget(1);
        assertThat(world.judge("n")).isEqualTo("sick Evict: " + NOTICE);
        assertThat(world.testCluster.snapshot().leaving()).hasSize(1);
    }

    @Test
    void kubernetesRefusesToEvictPodWithTwoBudgets() {
        world.node("n", broken()).running("train", "n", "nvidia.com/gpu", "1");
        budget(1);
        world.testCluster.budgets.add(world.testCluster.budgets.get(0));

        assertThat(world.judge("n")).startsWith("sick Keep: ");
    }

    @Test
    void retriesRefusedEvictionsLessAndLessOften() {
        world.node("n", both(broken(), removing(BEGUN, "evictions-refused", "2, 2026-01-01T11:59:50Z")))
                .running("train", "n", "nvidia.com/gpu", "1");

        assertThat(verdict(world, "n").recheck()).contains(Objects.NOON.plusSeconds(10));
        world.testCluster.later(Duration.ofSeconds(10));
        assertThat(world.judge("n")).isEqualTo("sick Evict: " + NOTICE);
    }

    @Test
    void terminatesEmptyMachineAtOnceByDefault() {
        world.node("n", both(broken(), removing(BEGUN, "idle-since", "2026-01-01T11:59:00Z")));

        assertThat(world.judge("n")).isEqualTo("sick Terminate: " + NOTICE);
    }

    @Test
    void keepsEmptyMachineForAsLongAsThePoolSays() {
        var kept = nodes("1h", "10%");
        kept.node("n", both(broken(), removing(BEGUN, "idle-since", "2026-01-01T11:59:00Z")));

        assertThat(kept.judge("n"))
                .isEqualTo("sick Keep: " + NOTICE
                        + "; the empty machine is kept until 2026-01-01T12:59:00Z (scaleDown.sick.keepFor: 1h)");
        assertThat(verdict(kept, "n").recheck()).contains(Objects.NOON.plusSeconds(59 * 60));
    }

    @Test
    void replacesTheLongestSickMachineOfThePoolFirst() {
        world.node("m", reported("False", "2026-01-01T11:55:00Z")).running("train", "m", "nvidia.com/gpu", "1");
        world.node("n", broken());

        assertThat(world.judge("n")).startsWith("sick Drain: ");
        assertThat(world.judge("m"))
                .endsWith(
                        "; it is replaced later, since at most 1 broken machine of the pool may be replaced or kept at a time");
        assertThat(world.testCluster.snapshot().leaving()).isEmpty();
    }

    @Test
    void replacesAsManyMachinesAsThePoolAllows() {
        var two = nodes("0s", "2");
        two.node("l", both(broken(), removing(BEGUN)));
        two.node("m", broken());
        two.node("n", broken());

        assertThat(two.judge("l")).startsWith("sick Terminate: ");
        assertThat(two.judge("m")).startsWith("sick Drain: ");
        assertThat(two.judge("n")).startsWith("sick Keep: ");
    }

    /** The limit of broken machines never holds back a reclaim. */
    @Test
    void drainsAllMachinesUnderNotice() {
        world.node("m", both(broken(), Nodes.tainted("aws-node-termination-handler/spot-itn")));
        world.node("n", both(broken(), Nodes.tainted("aws-node-termination-handler/spot-itn")));

        assertThat(world.judge("m")).startsWith("reclaim-announced Drain: ");
        assertThat(world.judge("n")).startsWith("reclaim-announced Drain: ");
    }

    @Test
    void keepsBrokenMachineOutOfServiceUntilItIsReplaced() {
        world.node("m", broken());
        world.node("n", broken());

        assertThat(world.testCluster.snapshot().nodes()).noneMatch(node -> node.takesPods());
    }

    @Test
    void brokenMachineThatHasNotBeenUsableYetIsNoRoom() {
        world.node("n", SickMachineTest::brokenBeforeUse);
        world.testCluster.waiting(1, "train", "t", "nvidia.com/gpu", "1");

        assertThat(Planner.plan(world.testCluster.snapshot()).outcomes().values())
                .as("its pool backs off, since the machine broke soon after its launch")
                .hasSize(1)
                .hasOnlyElementsOfType(Outcome.Unplaced.class);
    }

    /** The cloud owes the pool one more machine. */
    @Test
    void brokenMachineThatHasNotBeenUsableYetIsNotExpectedAgain() {
        world.node("n", SickMachineTest::brokenBeforeUse);
        world.testCluster.cloud(
                "p", 2, SnapshotFixture.machine("p", "n", Machine.State.RUNNING, Objects.NOON.minusSeconds(60)));
        var read = world.testCluster.snapshot();
        world.testCluster.ledgers.put("p", read.ledgerOf(read.pools().get("p")));

        var unread = world.testCluster.unreadable("p").snapshot();

        assertThat(unread.pools().get("p").upcoming(unread.now())).isEqualTo(1);
    }

    /** The time is in the future: the clock was set back after the scheduler had refused the broken machine. */
    @Test
    void suspectMachineExcludesNoPods() {
        assertThat(excluded(reported("False", "2026-01-01T13:00:00Z"))).isZero();
    }

    /** The signs are a recommendation, a reclaim two days ahead, and a reclaim that did not happen. */
    @ParameterizedTest
    @CsvSource(textBlock = """
                    aws-rebalance-recommendation, 'recommended, announced at 2026-01-01T11:00:00Z'
                    aws-scheduled-end, 'ends at 2026-01-03T12:00:00Z, announced at 2026-01-01T11:00:00Z'
                    aws-scheduled-end, 'ends at 2026-01-01T11:00:00Z, announced at 2026-01-01T10:00:00Z'
                    """)
    void machineWithSignThatPreventsNoPlacementExcludesPods(String sign, String value) {
        assertThat(excluded(marked("usable-since", LONG_AGO, sign, value))).isEqualTo(1);
    }

    /** Returns how many exclusions the pool gets if the scheduler does not use an offer of the node for half a minute. */
    private int excluded(UnaryOperator<NodeBuilder> change) {
        world.node("n", change);
        world.testCluster.waiting(1, "train", "t", "nvidia.com/gpu", "1");
        var offers = new Offers();
        var offered = world.testCluster.snapshot();
        offers.made(Planner.plan(offered), offered);
        var later = world.testCluster.later(Duration.ofSeconds(30)).snapshot();
        var passedOver = offers.made(Planner.plan(later), later);
        assertThat(passedOver).containsValue("n");

        var changed = Exclusions.passedOver(later, passedOver);
        return changed.pools().get("p").ledger().nodes().exclusions().size();
    }

    @Test
    void leavesNodeToThoseWhoCordonedIt() {
        world.node("n", cordoned(broken())).running("train", "n", "nvidia.com/gpu", "1");

        assertThat(world.judge("n")).startsWith("cordoned-by-operator Keep: ");
        assertThat(world.testCluster.snapshot().leaving()).isEmpty();
    }

    @Test
    void cancelsRemovalOfNodeThatOthersCordonMeanwhile() {
        world.node("n", cordoned(both(broken(), removing(BEGUN))));

        assertThat(world.judge("n")).startsWith("cordoned-by-operator Uncordon: ");
    }

    /** NVSentinel cordons the nodes that it labels. */
    @Test
    void replacesCordonedMachineThatNvSentinelHasLabelled() {
        world.node(
                "n",
                cordoned(both(
                        marked(
                                "usable-since",
                                LONG_AGO,
                                "noticed-since",
                                "label dgxc.nvidia.com/nvsentinel-state 2026-01-01T11:50:00Z"),
                        node -> node.editMetadata()
                                .addToLabels("dgxc.nvidia.com/nvsentinel-state", "quarantined")
                                .endMetadata())));

        assertThat(world.judge("n")).startsWith("sick Drain: ");
    }

    @Test
    void leavesNodeThatAnOperatorHasMarked() {
        world.node("n", both(broken(), marked("do-not-disrupt", "true")));

        assertThat(world.judge("n")).startsWith("detached Keep: ");
    }

    private static final String INTACT = "no sign that the machine is broken 2026-01-01T11:58:00Z";

    @Test
    void returnsNodeToUseOnceTheSignHasBeenAbsentForTwoMinutes() {
        world.node("n", both(reported("True", "2026-01-01T11:58:00Z"), removing(BEGUN, "noticed-since", INTACT)));

        assertThat(world.judge("n"))
                .isEqualTo("grace-period Uncordon: nothing says any more that the machine is broken");
        assertThat(world.notes("n")).containsEntry(Names.NOTICED_SINCE, Optional.empty());
    }

    /** Trainings would come back and be interrupted again and again. */
    @Test
    void keepsNodeOutOfUseWhileTheSignComesAndGoes() {
        world.node("n", both(reported("True", "2026-01-01T11:59:59Z"), removing(BEGUN)))
                .running("train", "n", "nvidia.com/gpu", "1");
        world.node("m", both(reported("False", "2026-01-01T11:59:00Z"), removing(BEGUN)));

        assertThat(world.judge("n"))
                .isEqualTo("sick Keep: no sign that the machine is broken since 2026-01-01T12:00:00Z; "
                        + "the machine counts as intact from 2026-01-01T12:02:00Z on");
        assertThat(world.notes("n"))
                .containsEntry(
                        Names.NOTICED_SINCE, Optional.of("no sign that the machine is broken 2026-01-01T12:00:00Z"));
        assertThat(world.testCluster.snapshot().nodes()).noneMatch(node -> node.revocable());
        assertThat(verdict(world, "n").recheck()).contains(Objects.NOON.plusSeconds(120));
        assertThat(world.judge("m")).startsWith("sick Keep: ");
    }

    @Test
    void returnsMarkedNodeToUseWhenTheSignDisappears() {
        world.node("n", both(marked("do-not-disrupt", "true"), removing(BEGUN, "noticed-since", INTACT)));

        assertThat(world.judge("n")).startsWith("grace-period Uncordon: ");
    }

    @Test
    void replacesNothingWhileThePoolCannotBeRead() {
        world.node("n", broken()).running("train", "n", "nvidia.com/gpu", "1");
        world.testCluster.unreadable("p");

        assertThat(world.judge("n")).isEqualTo("sick Keep: " + NOTICE + "; pool p cannot be read");
    }

    @Test
    void replacesMachineThatHasLostGpusForTheProvisionTimeout() {
        var symptom = "lost GPUs 2026-01-01T11:45:00Z";
        world.node("n", both(SickMachineTest::lost, marked("most-gpus", "1", "noticed-since", symptom)));
        world.node(
                "m",
                both(
                        SickMachineTest::lost,
                        marked("most-gpus", "1", "noticed-since", "lost GPUs 2026-01-01T11:45:01Z")));

        assertThat(world.judge("n")).isEqualTo("sick Drain: the machine is sick: lost GPUs since 2026-01-01T11:45:00Z");
        assertThat(world.judge("m")).contains("; lost GPUs; the machine counts as sick from 2026-01-01T12:00:01Z on");
    }

    /** The scheduler does not bind the pod: the extender lets no pod on the node. */
    @Test
    void podIsPendingThatIsNominatedForMachineWithoutItsGpus() {
        world.node(
                "n",
                both(
                        SickMachineTest::lost,
                        marked("most-gpus", "1", "noticed-since", "lost GPUs 2026-01-01T11:45:00Z")));
        world.testCluster.waiting(1, "train", "t", "nvidia.com/gpu", "1");
        world.lastPod(pod -> pod.editStatus().withNominatedNodeName("n").endStatus());

        assertThat(world.testCluster.snapshot().waiting()).hasSize(1);
    }

    /** A pool's promise that was raised by mistake must not replace all its machines. */
    @Test
    void keepsMachineThatNeverHadSoManyGpus() {
        world.node("n", both(SickMachineTest::lost, marked("noticed-since", "lost GPUs 2026-01-01T11:00:00Z")));

        assertThat(world.judge("n")).doesNotContain("sick");
    }

    @Test
    void recordsTheMostGpusOfNode() {
        world.node("n", marked("usable-since", LONG_AGO));
        world.node("m", both(SickMachineTest::lost, marked("most-gpus", "1")));

        assertThat(world.notes("n")).containsEntry("trainyard.dev/most-gpus", Optional.of("1"));
        assertThat(world.notes("m"))
                .doesNotContainKey("trainyard.dev/most-gpus")
                .containsEntry("trainyard.dev/noticed-since", Optional.of("lost GPUs 2026-01-01T12:00:00Z"));
    }

    @Test
    void removesBrokenMachineAsDeadIfItHangsWhileItsPodsLeave() {
        world.node(
                        "n",
                        both(
                                Nodes.deadSince("2026-01-01T11:00:00Z"),
                                both(
                                        reported("False", "2026-01-01T10:50:00Z"),
                                        removing("sick, 2026-01-01T10:55:00Z"))))
                .running("train", "n", "nvidia.com/gpu", "1");
        world.lastPod(pod -> pod.editMetadata()
                .withDeletionTimestamp("2026-01-01T11:00:30Z")
                .withDeletionGracePeriodSeconds(30L)
                .endMetadata());

        var step = (Verdict.Cordon) verdict(world, "n").step();

        assertThat(step.removal().reason()).isEqualTo(Removal.Reason.DEAD);
    }

    private static Nodes nodes(String keepFor, String atMost) {
        return new Nodes(new SnapshotFixture()
                .pool("p", Objects.spot(1).sick(keepFor, atMost))
                .tier("t", "p"));
    }

    private void budget(int allowed) {
        world.testCluster.budgets.clear();
        world.testCluster.budgets.add(new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName("budget")
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .endSelector()
                .endSpec()
                .withNewStatus()
                .withDisruptionsAllowed(allowed)
                .endStatus()
                .build());
    }

    private static UnaryOperator<NodeBuilder> broken() {
        return reported("False", "2026-01-01T11:50:00Z");
    }

    private static NodeBuilder brokenBeforeUse(NodeBuilder node) {
        return hardware(
                Nodes.notReady(node.editMetadata()
                        .withCreationTimestamp("2026-01-01T11:59:00Z")
                        .endMetadata()),
                "False",
                "2026-01-01T11:55:00Z");
    }

    private static UnaryOperator<NodeBuilder> reported(String status, String since) {
        return node -> hardware(marked("usable-since", LONG_AGO).apply(node), status, since);
    }

    private static NodeBuilder hardware(NodeBuilder node, String status, String since) {
        return node.editStatus()
                .addNewCondition()
                .withType("AcceleratedHardwareReady")
                .withStatus(status)
                .withLastTransitionTime(since)
                .endCondition()
                .endStatus();
    }

    private static NodeBuilder lost(NodeBuilder node) {
        return marked("usable-since", LONG_AGO)
                .apply(node)
                .editStatus()
                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                .endStatus();
    }

    private static UnaryOperator<NodeBuilder> both(UnaryOperator<NodeBuilder> one, UnaryOperator<NodeBuilder> other) {
        return node -> other.apply(one.apply(node));
    }

    private static Verdict verdict(Nodes world, String node) {
        return Lifecycle.judge(world.testCluster.snapshot(), Set.of()).stream()
                .filter(verdict -> verdict.node().name().equals(node))
                .findFirst()
                .orElseThrow();
    }
}
