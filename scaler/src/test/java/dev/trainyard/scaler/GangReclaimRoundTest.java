package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The rounds of a scaler after the notice that the machine of one member of a gang will be gone, or that it is broken. */
class GangReclaimRoundTest {

    private final ScalerFixture world = new ScalerFixture().pool("spot", Objects.spot(1));

    /** Starts a gang of two pods on two machines. The second member needs 90 s to end, the first one none. */
    private void start(boolean together) {
        world.cluster.tier(
                "gpu",
                TrainingTierSpec.builder(List.of("spot"))
                        .resumable(true)
                        .gangsLeaveTogether(together)
                        .build());
        world.waiting(2, "member", "gpu", "nvidia.com/gpu", "1");
        world.cluster.pods.replaceAll((name, pod) -> new PodBuilder(pod)
                .editMetadata()
                .addToLabels(Names.GANG, "g")
                .addToLabels(Names.GANG_SIZE, "2")
                .endMetadata()
                .build());
        world.seconds(40);
        assertThat(world.cluster.nodes.keySet()).containsExactlyInAnyOrder("spot-0001", "spot-0002");
        grace("member-2", 90);
        assertThat(nodeOf("member-1")).isEqualTo("spot-0001");
        world.cluster.changes.clear();
    }

    @Test
    void evictsAllMembersInOneRoundAndReplacesOnlyTheMachineUnderNotice() {
        start(true);
        taint("spot-0001");
        world.round();

        assertThat(world.cloud.target("spot")).isEqualTo(3);
        assertThat(world.cluster.changes)
                .contains("cordon spot-0001", "evict team/member-1", "evict team/member-2")
                .contains("annotate pod team/member-2 trainyard.dev/ends-at")
                .doesNotContain("cordon spot-0002");
        var other = world.cluster.pods.get("member-2").getMetadata();
        assertThat(other.getAnnotations())
                .containsEntry(
                        Names.ENDS_AT, world.clock.instant().plusSeconds(120).toString());
        assertThat(world.reclaimed("spot").get(0)).isEqualTo(2);
    }

    /** The machine of the other member stays. */
    @Test
    void otherMemberHasItsWholeGracePeriod() {
        start(true);
        grace("member-1", 300);
        grace("member-2", 300);
        taint("spot-0001");
        world.round();

        assertThat(world.cluster.pods.get("member-1").getMetadata().getDeletionGracePeriodSeconds())
                .isEqualTo(118);
        assertThat(world.cluster.pods.get("member-2").getMetadata().getDeletionGracePeriodSeconds())
                .isEqualTo(300);
    }

    @Test
    void roomOfAMemberThatDoesNotEndIsNotFree() {
        start(true);
        world.cluster.evictions.stuck.add("member-2");
        taint("spot-0001");
        world.seconds(300);

        assertThat(world.cloud.everMade()).isEqualTo(4);
        assertThat(List.of(nodeOf("member-1-again"), nodeOf("member-2-again")))
                .containsExactlyInAnyOrder("spot-0003", "spot-0004");
    }

    /** The author of a pod may write the annotation, choose the grace period, and delete the pod. */
    @Test
    void roomOfPodThatMayTakeDaysToEndIsNotFree() {
        start(true);
        world.cluster.changePod(
                "member-2",
                changed -> changed.editMetadata()
                        .addToAnnotations(Names.ENDS_AT, world.clock.instant().toString())
                        .withDeletionTimestamp(
                                world.clock.instant().plus(Duration.ofDays(7)).toString())
                        .withDeletionGracePeriodSeconds(Duration.ofDays(7).toSeconds())
                        .endMetadata());
        world.waiting(1, "victim", "gpu", "nvidia.com/gpu", "1");
        world.round();

        assertThat(world.cloud.target("spot")).isEqualTo(3);
    }

    @Test
    void membersWithoutAValidSizeStay() {
        start(true);
        world.cluster.pods.replaceAll((name, pod) -> new PodBuilder(pod)
                .editMetadata()
                .addToLabels(Names.GANG_SIZE, "many")
                .endMetadata()
                .build());
        taint("spot-0001");
        world.seconds(5);

        assertThat(world.cluster.changes).contains("evict team/member-1").doesNotContain("evict team/member-2");
    }

    @Test
    void evictsOnlyTheMemberUnderNoticeIfTheTierDoesNotSaySo() {
        start(false);
        taint("spot-0001");
        world.seconds(5);

        assertThat(world.cluster.changes)
                .contains("evict team/member-1")
                .doesNotContain("evict team/member-2", "annotate pod team/member-2 trainyard.dev/ends-at");
    }

    /** The first machine goes long before the second member has ended. Its room counts all the same. */
    @Test
    void runsNewGangOnTheOldMachineAndOneNewMachine() {
        start(true);
        taint("spot-0001");
        world.seconds(120);

        assertThat(world.cloud.everMade()).isEqualTo(3);
        assertThat(List.of(nodeOf("member-1-again"), nodeOf("member-2-again")))
                .containsExactlyInAnyOrder("spot-0002", "spot-0003");
        assertThat(world.cluster.nodes).containsOnlyKeys("spot-0002", "spot-0003");
        assertThat(world.cluster.nodes.get("spot-0002").getSpec().getTaints()).isEmpty();
        assertThat(world.cluster.changes.stream().filter(change -> change.startsWith("evict")))
                .hasSize(2);
        assertThat(world.events).noneMatch(event -> event.contains("had room"));
    }

    /** The machine under notice may still exist when the new gang runs. */
    @Test
    void leavesTheNewGangAloneWhileTheOldMachineExists() {
        start(true);
        world.cluster.evictions.stuck.add("member-1");
        grace("member-1", 10);
        taint("spot-0001");
        world.seconds(120);

        assertThat(world.cluster.pods).containsKey("member-1");
        assertThat(world.cluster.changes.stream().filter(change -> change.startsWith("evict")))
                .containsExactlyInAnyOrder("evict team/member-1", "evict team/member-2");
    }

    /** The first member of the old gang does not end. Its notice must not hide that of a machine of the new gang. */
    @Test
    void laterNoticeForTheNewGangCountsWhileTheOldMachineExists() {
        start(true);
        world.cluster.evictions.stuck.add("member-1");
        grace("member-1", 10);
        taint("spot-0001");
        world.seconds(120);
        assertThat(world.cluster.pods).containsKeys("member-1", "member-1-again", "member-2-again");
        world.cluster.changePod(
                "member-1-again",
                changed -> changed.editMetadata()
                        .addToAnnotations(Names.TIER, "gpu")
                        .endMetadata());
        world.cluster.changes.clear();

        taint(nodeOf("member-1-again"));
        world.round();

        assertThat(world.cluster.changes).contains("evict team/member-1-again", "evict team/member-2-again");
    }

    @Test
    void forgetsRefusedEvictionsOnceTheMembersHaveLeft() {
        start(true);
        world.cluster.changePod(
                "member-2",
                changed -> changed.editMetadata().addToLabels("app", "training").endMetadata());
        world.cluster.evictions.budget("training", 0);
        grace("member-1", 90);
        taint("spot-0001");
        world.seconds(3);
        assertThat(annotations("spot-0002")).containsKey(ScalerAnnotations.EVICTIONS_REFUSED);

        world.cluster.pods.remove("member-2");
        world.seconds(3);

        assertThat(annotations("spot-0002")).doesNotContainKey(ScalerAnnotations.EVICTIONS_REFUSED);
    }

    private Map<String, String> annotations(String node) {
        return world.cluster.nodes.get(node).getMetadata().getAnnotations();
    }

    @Test
    void retriesEvictionThatBudgetRefusesUntilTheDeadline() {
        start(true);
        world.cluster.changePod(
                "member-2",
                changed -> changed.editMetadata().addToLabels("app", "training").endMetadata());
        world.cluster.evictions.budget("training", 0);
        world.cluster.evictions.stuck.add("member-1");
        grace("member-1", 90);
        taint("spot-0001");
        world.seconds(20);

        assertThat(world.cluster.evictions.refused).hasSizeBetween(9, 12);
    }

    @Test
    void leavesPodsWithoutControllerAlone() {
        start(true);
        world.cluster.changePod(
                "member-2",
                changed -> changed.editMetadata().withOwnerReferences().endMetadata());
        taint("spot-0001");
        world.seconds(3);

        assertThat(world.cluster.changes).contains("evict team/member-1").doesNotContain("evict team/member-2");
    }

    @Test
    void asksAllMembersToSaveTheirStateOnRecommendation() {
        start(true);
        world.cluster.changeNode(
                "spot-0001",
                changed -> changed.editStatus()
                        .addNewCondition()
                        .withType("PreemptionScheduled")
                        .withStatus("True")
                        .withMessage("SpotRebalanceRecommendation Advisory: .")
                        .withLastTransitionTime("2026-01-01T12:00:39Z")
                        .endCondition()
                        .endStatus());
        world.seconds(3);

        assertThat(world.cluster.pods).containsOnlyKeys("member-1", "member-2");
        world.cluster
                .pods
                .values()
                .forEach(pod -> assertThat(pod.getMetadata().getAnnotations())
                        .containsEntry(Names.CHECKPOINT_SINCE, "2026-01-01T12:00:39Z"));
    }

    @Test
    void allMembersLeaveBrokenMachineInOneRound() {
        startLongAgo(true);
        breakMachine("spot-0001");
        world.round();

        assertThat(world.cloud.target("spot")).isEqualTo(3);
        assertThat(world.cluster.changes)
                .contains("cordon spot-0001", "evict team/member-1", "evict team/member-2")
                .contains("annotate pod team/member-2 trainyard.dev/checkpoint-since")
                .doesNotContain("cordon spot-0002", "annotate pod team/member-2 trainyard.dev/ends-at");
        assertThat(world.events).anyMatch(event -> event.contains("pod team/member-2 is being evicted with its gang"));
        assertThat(world.reclaimed("spot").get(0)).isZero();
    }

    @Test
    void onlyTheMemberOnTheBrokenMachineLeavesIfTheTierDoesNotSaySo() {
        startLongAgo(false);
        breakMachine("spot-0001");
        world.seconds(5);

        assertThat(world.cluster.changes).contains("evict team/member-1").doesNotContain("evict team/member-2");
    }

    /** The second member needs 90 s to end, long after the broken machine has gone. */
    @Test
    void newGangRunsOnTheOldMachineAndOneNewMachineAfterBreakdown() {
        startLongAgo(true);
        breakMachine("spot-0001");
        world.seconds(150);

        assertThat(world.cloud.everMade()).isEqualTo(3);
        assertThat(List.of(nodeOf("member-1-again"), nodeOf("member-2-again")))
                .containsExactlyInAnyOrder("spot-0002", "spot-0003");
        assertThat(world.cluster.nodes).containsOnlyKeys("spot-0002", "spot-0003");
        assertThat(world.cluster.changes.stream().filter(change -> change.startsWith("evict")))
                .hasSize(2);
    }

    /** The first member does not end, so the broken machine stays while the new gang runs. */
    @Test
    void newGangStaysWhileTheBrokenMachineExists() {
        startLongAgo(true);
        world.cluster.evictions.stuck.add("member-1");
        grace("member-1", 10);
        breakMachine("spot-0001");
        world.seconds(150);

        assertThat(world.cluster.pods).containsKeys("member-1", "member-1-again", "member-2-again");
        assertThat(world.cluster.changes.stream().filter(change -> change.startsWith("evict")))
                .containsExactlyInAnyOrder("evict team/member-1", "evict team/member-2");
    }

    @Test
    void nobodyLeavesBrokenMachineIfOneMemberMustNotBeInterrupted() {
        startLongAgo(true);
        mark("member-2", "true");
        breakMachine("spot-0001");
        world.seconds(5);
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("evict"));
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("cordon"));
        assertThat(world.cloud.target("spot")).isEqualTo(2);
        assertThat(world.cluster.changes)
                .contains(
                        "annotate pod team/member-1 trainyard.dev/checkpoint-since",
                        "annotate pod team/member-2 trainyard.dev/checkpoint-since");

        mark("member-2", "false");
        world.round();
        assertThat(world.cluster.changes).contains("evict team/member-1", "evict team/member-2");
    }

    @Test
    void memberWithoutControllerDoesNotKeepTheOthersOnBrokenMachine() {
        startLongAgo(true);
        world.cluster.changePod(
                "member-2",
                changed -> changed.editMetadata().withOwnerReferences().endMetadata());
        mark("member-2", "true");
        breakMachine("spot-0001");
        world.seconds(3);

        assertThat(world.cluster.changes).contains("evict team/member-1").doesNotContain("evict team/member-2");
    }

    @Test
    void nobodyLeavesBrokenMachineIfBudgetAllowsTooFewEvictions() {
        startLongAgo(true);
        world.cluster.pods.replaceAll((name, pod) -> new PodBuilder(pod)
                .editMetadata()
                .addToLabels("app", "training")
                .endMetadata()
                .build());
        world.cluster.evictions.budget("training", 1);
        breakMachine("spot-0001");
        world.seconds(5);
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("evict"));

        world.cluster.evictions.budget("training", 2);
        world.round();
        assertThat(world.cluster.changes).contains("evict team/member-1", "evict team/member-2");
    }

    /** A machine breaks in each of two pools, so both are replaced at once. The budget allows only one gang to leave. */
    @Test
    void gangsWithCommonBudgetLeaveBrokenMachinesOneAfterTheOther() {
        startTwoGangs();
        world.cluster.evictions.budget("training", 2);
        breakMachine(nodeOf("member-1"));
        breakMachine(nodeOf("other-1"));
        world.seconds(5);
        assertThat(world.cluster.evictions.refused).isEmpty();
        assertThat(evictions()).hasSize(2);
        assertThat(evictions())
                .allMatch(change -> change.contains(evictions().get(0).substring(0, 17)));

        world.cluster.evictions.budget("training", 2);
        world.seconds(5);
        assertThat(evictions())
                .containsExactlyInAnyOrder(
                        "evict team/member-1", "evict team/member-2", "evict team/other-1", "evict team/other-2");
    }

    /** Starts the gang, and another one on two machines of another pool, with one disruption budget. */
    private void startTwoGangs() {
        world.pool("second", Objects.spot(1));
        start(true);
        world.cluster.tier(
                "second",
                TrainingTierSpec.builder(List.of("second"))
                        .resumable(true)
                        .gangsLeaveTogether(true)
                        .build());
        world.waiting(2, "other", "second", "nvidia.com/gpu", "1");
        world.cluster.pods.replaceAll((name, pod) -> new PodBuilder(pod)
                .editMetadata()
                .addToLabels("app", "training")
                .addToLabels(Names.GANG, name.startsWith("other") ? "h" : "g")
                .addToLabels(Names.GANG_SIZE, "2")
                .endMetadata()
                .build());
        world.seconds(40);
        world.clock.move(Duration.ofHours(2));
        world.seconds(10);
        grace("member-1", 90);
        grace("other-1", 90);
        grace("other-2", 90);
        world.cluster.changes.clear();
    }

    private List<String> evictions() {
        return world.cluster.changes.stream()
                .filter(change -> change.startsWith("evict"))
                .toList();
    }

    @Test
    void nobodyLeavesBrokenMachineIfAnOperatorKeepsTheNodeOfAnotherMember() {
        startLongAgo(true);
        world.cluster.changeNode(
                "spot-0002",
                changed -> changed.editMetadata()
                        .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                        .endMetadata());
        breakMachine("spot-0001");
        world.seconds(5);

        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("evict"));
    }

    /** A pool replaces one broken machine at a time by default. The first member's machine has been broken for longer. */
    @Test
    void memberOnMachineThatIsReplacedLaterLeavesWithItsGang() {
        startLongAgo(true);
        breakMachine("spot-0001");
        world.cluster.changes.clear();
        world.cluster.changeNode("spot-0002", changed -> broken(changed, "2026-01-01T13:59:00Z"));
        world.round();

        assertThat(world.cluster.changes)
                .contains("evict team/member-1", "evict team/member-2", "cordon spot-0001")
                .doesNotContain("cordon spot-0002");
    }

    /** A machine that breaks soon after its launch lets the pool back off. */
    private void startLongAgo(boolean together) {
        start(together);
        world.clock.move(Duration.ofHours(2));
        world.seconds(10);
        world.cluster.changes.clear();
    }

    private void breakMachine(String node) {
        world.cluster.changeNode(
                node,
                changed -> broken(
                        changed,
                        world.clock.instant().minus(Duration.ofMinutes(5)).toString()));
    }

    private static NodeBuilder broken(NodeBuilder node, String since) {
        return node.editStatus()
                .addNewCondition()
                .withType("AcceleratedHardwareReady")
                .withStatus("False")
                .withLastTransitionTime(since)
                .endCondition()
                .endStatus();
    }

    private void mark(String pod, String doNotDisrupt) {
        world.cluster.changePod(
                pod,
                changed -> changed.editMetadata()
                        .addToAnnotations(Names.DO_NOT_DISRUPT, doNotDisrupt)
                        .endMetadata());
    }

    private void grace(String pod, long seconds) {
        world.cluster.changePod(
                pod,
                changed -> changed.editSpec()
                        .withTerminationGracePeriodSeconds(seconds)
                        .endSpec());
    }

    private void taint(String node) {
        world.cluster.changeNode(
                node,
                changed -> changed.editSpec()
                        .addNewTaint("NoSchedule", "aws-node-termination-handler/spot-itn", null, "x")
                        .endSpec());
    }

    private String nodeOf(String pod) {
        return world.cluster.pods.get(pod).getSpec().getNodeName();
    }
}
