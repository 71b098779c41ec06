package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.GangStart;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gangs of a tier whose gangs start whole. Their pods have a scheduling gate. */
class GangStartRoundTest {

    private final ScalerFixture world =
            new ScalerFixture().pool("spot", Objects.spot(1).max(12));

    GangStartRoundTest() {
        startsWhole(GangStart.WHOLE);
    }

    @Test
    void startsOneGangAndThenTheOtherIfThereIsNoRoomForBoth() {
        gang("a", 8);
        gang("b", 8);

        for (int second = 0; second < 120; second++) {
            world.second();
            assertThat(List.of(placed("a"), placed("b")))
                    .as("second %d", second)
                    .isSubsetOf(0L, 8L);
        }
        assertThat(placed("a")).isEqualTo(8);
        assertThat(placed("b")).isZero();
        assertThat(world.cloud.everMade())
                .as("no machine comes for a part of a gang")
                .isEqualTo(8);

        world.finishAllJobs();
        world.seconds(60);
        assertThat(placed("b")).isEqualTo(8);
        assertThat(world.cloud.everMade()).isEqualTo(8);
    }

    @Test
    void requestsMachinesAndRemovesNoGateBeforeAllAreUsable() {
        gang("a", 3);
        world.second();
        assertThat(world.cloud.target("spot")).isEqualTo(3);

        world.neverUsable = true;
        world.seconds(40);
        assertThat(gates("a")).isEqualTo(3);
        assertThat(world.cluster.nodes).hasSize(3);

        world.cluster.nodes.keySet().stream().limit(2).toList().forEach(this::makeUsable);
        world.seconds(5);
        assertThat(gates("a")).isEqualTo(3);
        assertThat(world.eventsOf("a-1").stream().distinct())
                .as("one Event, however many machines are usable")
                .filteredOn(event -> event.startsWith("a-1 Held: "))
                .containsExactly("a-1 Held: the pod waits until all 3 pending pods of gang team/a have room on nodes;"
                        + " machines are provisioning");

        world.cluster.nodes.keySet().forEach(this::makeUsable);
        world.seconds(2);
        assertThat(placed("a")).isEqualTo(3);
        assertThat(world.eventsOf("a-1"))
                .anyMatch(event -> event.startsWith("a-1 GangStarts: all 3 pods of gang team/a have room"));
    }

    @Test
    void reservesAllRoomBeforeItRemovesTheFirstGate() {
        nodes(2);
        gang("a", 2);
        world.cluster.changes.clear();
        world.round();

        assertThat(world.cluster.changes.stream()
                        .filter(change -> change.startsWith("nominate") || change.startsWith("remove gate")))
                .containsExactly(
                        "nominate pod team/a-1 for " + nominated("a-1"),
                        "nominate pod team/a-2 for " + nominated("a-2"),
                        "remove gate of pod team/a-1",
                        "remove gate of pod team/a-2");
        assertThat(nominated("a-1")).isNotEqualTo(nominated("a-2"));
    }

    /** The scheduler has not seen the pods yet. Their room is not free for the other gang. */
    @Test
    void roomOfAGangThatHasJustStartedIsReserved() {
        nodes(3);
        gang("a", 2);
        world.round();
        assertThat(gates("a")).isZero();
        gang("b", 2);
        world.cluster.pool("spot", Objects.spot(1).max(3).spec());
        world.round();

        assertThat(gates("b")).isEqualTo(2);
    }

    /** @param step how often the scaler comes to the begin or the end of a change before it is killed */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void killedScalerLeavesNoGangPartlyHeld(int step) {
        nodes(4);
        world.cluster.pool("spot", Objects.spot(1).max(4).spec());
        world.seconds(10);
        gang("a", 4);
        gang("b", 4);
        var left = new int[] {step};
        world.cluster.interruptWith(() -> {
            if (--left[0] == 0) {
                throw new ScalerFixture.Killed();
            }
        });
        assertThatThrownBy(() -> world.round()).isInstanceOf(ScalerFixture.Killed.class);
        world.cluster.interruptWith(() -> {});
        world.restart();
        world.seconds(5);

        assertThat(placed("a")).isEqualTo(4);
        assertThat(gates("b")).isEqualTo(4);
    }

    /** The scheduler keeps reserved room free, also for pods with a gate. */
    @Test
    void givesRoomBackIfAPodIsDeletedWhileRoomIsReserved() {
        nodes(4);
        world.cluster.pool("spot", Objects.spot(1).max(4).spec());
        world.seconds(10);
        gang("a", 4);
        gang("b", 4);
        var left = new int[] {4};
        world.cluster.interruptWith(() -> {
            if (--left[0] == 0) {
                world.cluster.pods.remove("a-4");
            }
        });
        world.round();
        assertThat(gates("a")).isEqualTo(3);
        assertThat(nominated("a-1")).isNotNull();
        assertThat(world.eventsOf("a-1")).anyMatch(event -> event.startsWith("a-1 GangNotStarted: "));
        world.seconds(2);

        assertThat(nominated("a-1")).isNull();
        assertThat(placed("b")).isEqualTo(4);
    }

    @Test
    void restOfAStartedGangComesBeforeAnOlderGangThatWaits() {
        nodes(3);
        world.cluster.pool("spot", Objects.spot(1).max(3).spec());
        gang("a", 2);
        world.seconds(2);
        world.waiting(1, "single", "gpu", "nvidia.com/gpu", "1");
        world.seconds(1);
        gang("b", 1);
        world.clock.move(Duration.ofMinutes(15));
        world.neverPlaced = pod -> pod.getMetadata().getName().equals("a-9");
        world.cluster.pods.remove("a-1");
        world.waiting(1, "other", "gpu", "nvidia.com/gpu", "1");
        world.cluster.add(member("a", 9, 2));
        world.seconds(3);
        assertThat(gates("a")).isZero();
        world.neverPlaced = pod -> false;
        unschedulable("a-9");
        world.cluster.pods.remove("single-1");
        world.round();

        assertThat(gates("b")).isEqualTo(1);
    }

    @Test
    void gatesOfAMissingTierStay() {
        gang("a", 2);
        world.cluster.tiers.clear();
        world.second();

        assertThat(gates("a")).isEqualTo(2);
    }

    /** The scaler requests no machine for such a pod, so the pod may use free room as soon as there is some. */
    @Test
    void podBelowThePriorityCutoffIsNotHeld() {
        gang("a", 2);
        world.cluster.pods.replaceAll((name, pod) ->
                new PodBuilder(pod).editSpec().withPriority(-100).endSpec().build());
        world.second();

        assertThat(gates("a")).isZero();
        assertThat(world.cloud.target("spot")).isZero();
    }

    /** All members leave a machine under notice together, so the next pods of the gang start together too. */
    @Test
    void podsThatReplaceAGangThatLeavesWaitForEachOther() {
        nodes(2);
        world.cluster.pool("spot", Objects.spot(1).max(2).spec());
        gang("a", 2);
        world.seconds(2);
        leave("a-1");
        leave("a-2");
        world.cluster.add(member("a", 8, 2));
        world.second();

        assertThat(gates("a")).isEqualTo(1);
    }

    /** Each pod has its own controller. The replacement of the second pod does not exist yet, although its room does. */
    @Test
    void replacementWaitsForAPodThatStillLeavesItsMachine() {
        nodes(4);
        gang("a", 2);
        world.seconds(2);
        assertThat(placed("a")).isEqualTo(2);
        world.cluster.changePod(
                "a-2",
                pod -> pod.editMetadata()
                        .editFirstOwnerReference()
                        .withUid("uid-of-a-2")
                        .endOwnerReference()
                        .endMetadata());
        leave("a-2");
        world.cluster.changeNode(
                world.cluster.pods.get("a-2").getSpec().getNodeName(),
                node -> node.editSpec()
                        .addNewTaint("NoSchedule", "aws-node-termination-handler/spot-itn", null, "x")
                        .endSpec());
        world.cluster.pods.remove("a-1");
        world.cluster.add(member("a", 8, 2));
        world.seconds(5);
        assertThat(gates("a")).isEqualTo(1);

        world.cluster.pods.remove("a-2");
        world.cluster.add(member("a", 9, 2));
        world.seconds(2);
        assertThat(gates("a")).isZero();
    }

    @Test
    void gangWithAMissingPodWaitsWithoutLimit() {
        nodes(3);
        gang("a", 3);
        world.cluster.pods.remove("a-3");
        world.seconds(600);

        assertThat(gates("a")).isEqualTo(2);
        assertThat(world.eventsOf("a-1")).anyMatch(event -> event.contains("gang team/a has 2 of 3 pods"));
    }

    @Test
    void replacementOfAMemberOfARunningGangIsNotHeldEvenWithoutRoom() {
        nodes(2);
        world.cluster.pool("spot", Objects.spot(1).max(2).spec());
        gang("a", 2);
        world.seconds(2);
        assertThat(placed("a")).isEqualTo(2);
        world.cluster.pods.remove("a-1");
        world.waiting(1, "single", "gpu", "nvidia.com/gpu", "1");
        world.cluster.add(member("a", 9, 2));
        world.seconds(2);

        assertThat(placed("single")).isEqualTo(1);
        assertThat(gates("a")).isZero();
    }

    /** Other pending pods are placed in the order of their size. */
    @Test
    void olderGangComesFirstEvenIfThePodsOfTheYoungerOneAreLarger() {
        world.pool("spot", Objects.spot(4).max(2));
        nodes(2, "4");
        gang("older", 2, "2");
        world.clock.move(Duration.ofSeconds(1));
        gang("larger", 2, "4");
        world.seconds(2);

        assertThat(placed("older")).isEqualTo(2);
        assertThat(gates("larger")).isEqualTo(2);
    }

    @Test
    void gatesOfATierThatDoesNotStartGangsWholeAnyMoreAreRemoved() {
        gang("a", 20);
        world.second();
        assertThat(gates("a")).isEqualTo(20);
        startsWhole(GangStart.PARTS);
        world.second();

        assertThat(gates("a")).isZero();
    }

    @Test
    void gateOfAPodWithoutAGangIsRemoved() {
        world.cluster.add(new PodBuilder(member("a", 1, 2))
                .editMetadata()
                .removeFromLabels(Names.GANG)
                .removeFromLabels(Names.GANG_SIZE)
                .endMetadata()
                .build());
        world.round();

        assertThat(gates("a")).isZero();
    }

    @Test
    void podWithAnotherGateIsLeftAlone() {
        nodes(1);
        world.cluster.add(new PodBuilder(member("a", 1, 1))
                .editSpec()
                .addNewSchedulingGate("example.com/quota")
                .endSpec()
                .build());
        world.round();

        assertThat(gates("a")).isEqualTo(1);
    }

    /** A gang that needs all machines waits beside small gangs that come again and again. */
    @Test
    void smallGangsDoNotDelayALargeOneForEver() {
        nodes(12);
        world.seconds(1);
        gang("first", 6);
        world.seconds(2);
        assertThat(placed("first")).isEqualTo(6);
        gang("large", 12);
        world.seconds(1);
        gang("small", 6);
        world.seconds(30);
        assertThat(gates("small")).as("idle nodes are kept for the older gang").isEqualTo(6);

        world.finishAllJobs();
        world.seconds(3);
        assertThat(placed("large")).isEqualTo(12);
        assertThat(gates("small")).isEqualTo(6);
    }

    @Test
    void nodesAreGivenToOthersIfTheOldestGangStaysWithoutRoom() {
        nodes(12);
        world.seconds(1);
        gang("first", 6);
        world.seconds(2);
        gang("large", 12);
        gang("small", 6);
        world.seconds(650);

        assertThat(placed("small")).isEqualTo(6);
        assertThat(gates("large")).isEqualTo(12);
    }

    @Test
    void nothingIsKeptForAGangThatIsLargerThanItsPools() {
        nodes(12);
        world.seconds(1);
        gang("large", 13);
        gang("small", 6);
        world.seconds(2);

        assertThat(placed("small")).isEqualTo(6);
    }

    private void startsWhole(GangStart gangs) {
        world.cluster.tier(
                "gpu", TrainingTierSpec.builder(List.of("spot")).gangs(gangs).build());
    }

    private void gang(String name, int size) {
        gang(name, size, "1");
    }

    private void gang(String name, int size, String gpus) {
        for (int number = 1; number <= size; number++) {
            world.cluster.add(member(name, number, size, gpus));
        }
    }

    private Pod member(String gang, int number, int size) {
        return member(gang, number, size, "1");
    }

    private Pod member(String gang, int number, int size, String gpus) {
        var pod = Objects.waiting("%s-%d".formatted(gang, number), "gpu", "nvidia.com/gpu", gpus);
        return new PodBuilder(pod)
                .editMetadata()
                .withCreationTimestamp(world.clock.instant().toString())
                .addToLabels(Names.GANG, gang)
                .addToLabels(Names.GANG_SIZE, String.valueOf(size))
                .editFirstOwnerReference()
                .withUid("uid-" + gang)
                .endOwnerReference()
                .endMetadata()
                .editSpec()
                .addNewSchedulingGate(Names.GANG_GATE)
                .endSpec()
                .withNewStatus()
                .withPhase("Pending")
                .endStatus()
                .build();
    }

    /** Lets machines join for pods that have ended. */
    private void nodes(int count) {
        nodes(count, "1");
    }

    /** @param gpus the GPUs of a machine */
    private void nodes(int count, String gpus) {
        world.waiting(count, "earlier", "gpu", "nvidia.com/gpu", gpus);
        world.seconds(40);
        world.cluster.pods.clear();
        assertThat(world.cluster.nodes).hasSize(count);
        world.cluster.changes.clear();
    }

    private void makeUsable(String node) {
        world.cluster.changeNode(
                node,
                before -> before.editStatus()
                        .addToAllocatable("nvidia.com/gpu", new Quantity("1"))
                        .endStatus());
    }

    /** Lets a pod leave its machine, with five minutes of its grace period left. */
    private void leave(String name) {
        world.cluster.changePod(
                name,
                pod -> pod.editMetadata()
                        .withDeletionTimestamp(
                                world.clock.instant().plusSeconds(300).toString())
                        .withDeletionGracePeriodSeconds(300L)
                        .endMetadata()
                        .editStatus()
                        .addNewCondition()
                        .withType("DisruptionTarget")
                        .withStatus("True")
                        .endCondition()
                        .endStatus());
    }

    private void unschedulable(String pod) {
        world.cluster.changePod(
                pod,
                before -> before.editStatus()
                        .addNewCondition()
                        .withType("PodScheduled")
                        .withStatus("False")
                        .withReason("Unschedulable")
                        .endCondition()
                        .endStatus());
    }

    private String nominated(String pod) {
        return world.cluster.pods.get(pod).getStatus().getNominatedNodeName();
    }

    private long placed(String gang) {
        return pods(gang).stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .count();
    }

    private long gates(String gang) {
        return pods(gang).stream()
                .filter(pod -> !pod.getSpec().getSchedulingGates().isEmpty())
                .count();
    }

    private List<Pod> pods(String gang) {
        return world.cluster.pods.values().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith(gang + "-"))
                .toList();
    }
}
