package dev.trainyard.scaler.lifecycle;

import static dev.trainyard.scaler.Objects.NOON;
import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.lifecycle.Nodes.LONG_AGO;
import static dev.trainyard.scaler.lifecycle.Nodes.idleSince;
import static dev.trainyard.scaler.lifecycle.Nodes.marked;
import static dev.trainyard.scaler.lifecycle.Nodes.removing;
import static dev.trainyard.scaler.lifecycle.Nodes.tainted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.ReturnToSpotSpec;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.ledger.BackOff;
import dev.trainyard.scaler.ledger.Debt;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.ProgressMemory;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SpotReturn.Stage;
import dev.trainyard.scaler.plan.Exclusions;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.FailureKind;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines of one GPU. Tier t prefers spot machines, and its pods return to them after 30 minutes, two at a time. */
class SpotReturnsTest {

    private static final String RETURN = "trainyard.dev/return-to-spot";
    private static final String NOTICE = "aws-node-termination-handler/spot-itn";
    private static final String LATELY = "2026-01-01T11:59:00Z";

    private final SnapshotFixture testCluster =
            new SnapshotFixture().pool("spot", spot(1)).pool("ondemand", onDemand(1));
    private final Nodes nodes = new Nodes(testCluster);

    SpotReturnsTest() {
        tier(new ReturnToSpotSpec("30m", 2), "spot", "ondemand");
    }

    @Test
    void requestsSpotMachineBeforeAnythingElse() {
        onDemandMachine("n");

        assertThat(plan().growths()).extracting(growth -> growth.pool().name()).containsExactly("spot");
        assertThat(planned().returning()).extracting(move -> move.stage()).containsExactly(Stage.PROVISIONING);
        assertThat(judge("n")).startsWith("busy Keep").endsWith("; its pods return to spot once a machine is usable");
        assertThat(attempt("n")).contains("running, 0, 2026-01-01T12:00:00Z");
    }

    @Test
    void emptiesMachineOnceUsableSpotMachineHasRoom() {
        onDemandMachine("n");
        nodes.node("s", "spot", idleSince(LONG_AGO));

        assertThat(plan().growths()).isEmpty();
        assertThat(plan().reserved()).containsExactly("s");
        assertThat(judge("n")).isEqualTo("busy Cordon: usable spot machines have room for all its pods");
    }

    @Test
    void keepsMachineUntilTheSpotMachineHasItsLabels() {
        onDemandMachine("n");
        nodes.node("s", "spot", marked("usable-since", "2026-01-01T11:59:31Z", "idle-since", "2026-01-01T11:59:31Z"));

        assertThat(judge("n")).startsWith("busy Keep");
        testCluster.later(Duration.ofSeconds(1));
        assertThat(judge("n")).startsWith("busy Cordon");
    }

    @Test
    void usesNoRoomOnOtherOnDemandMachines() {
        onDemandMachine("n");
        nodes.node("free", "ondemand", idleSince(LONG_AGO));

        assertThat(plan().growths()).hasSize(1);
        assertThat(plan().reserved()).isEmpty();
    }

    @Test
    void leavesRoomToPendingPodsFirst() {
        testCluster.pool("spot", spot(1).max(1));
        onDemandMachine("n");
        nodes.node("s", "spot", idleSince(LONG_AGO));
        testCluster.waiting(1, "other", "t", "nvidia.com/gpu", "1");
        testCluster.pods.replaceAll(pod -> pod.getMetadata().getName().equals("other-1")
                ? new PodBuilder(pod)
                        .editMetadata()
                        .withCreationTimestamp("2026-01-01T10:00:00Z")
                        .endMetadata()
                        .editSpec()
                        .withPriority(-9)
                        .endSpec()
                        .build()
                : pod);

        assertThat(planned().returning()).extracting(move -> move.stage()).containsExactly(Stage.REFUSED);
        assertThat(judge("n")).startsWith("busy Keep");
        assertThat(attempt("n")).contains("failed, 1, 2026-01-01T12:00:00Z");
    }

    /** Ten hours of work from two o'clock until midnight, and two changeovers of 15 + 3 + 12 minutes: at 13:00 the line is at five hours. */
    @ParameterizedTest
    @CsvSource({"4h59m, false", "5h, true", "9h, true"})
    void returnsWithDeadlineOnlyIfAheadByTwoChangeovers(String done, boolean returns) {
        onDemandMachine("n");
        deadline("2026-01-02T00:00:00Z", done);

        assertThat(SpotReturns.begin(withDeadlines()).returning()).hasSize(returns ? 1 : 0);
    }

    @Test
    void isNotMovedForAnyReasonOnceTheTimeLeftIsShort() {
        onDemandMachine("n");
        deadline("2026-01-01T14:59:00Z", "8h");

        var snapshot = withDeadlines();
        var pods = snapshot.nodes().get(0).trainingPods();
        assertThat(new Mobility(snapshot).obstacle(pods))
                .hasValueSatisfying(
                        obstacle -> assertThat(obstacle.reason())
                                .isEqualTo(
                                        "pod team/n-pod is not moved: its training could miss its deadline, 2026-01-01T14:59:00Z"));
        assertThat(SpotReturns.begin(snapshot).returning()).isEmpty();
        testCluster.pods.clear();
        pod("n-pod", "n");
        deadline("2026-01-01T15:01:00Z", "8h");
        assertThat(new Mobility(withDeadlines()).obstacle(pods)).isEmpty();
    }

    private void deadline(String at, String done) {
        nodes.lastPod(pod -> pod.editMetadata()
                .addToAnnotations(Names.DEADLINE, at)
                .addToAnnotations(Names.WORK, "10h")
                .addToAnnotations(Names.RESTART_COST, "12m")
                .addToAnnotations(Names.PROGRESS, done + ", since 2026-01-01T02:00:00Z")
                .endMetadata());
    }

    private Snapshot withDeadlines() {
        return new ProgressMemory(() -> 0).on(testCluster.snapshot(), testCluster.pods);
    }

    @Test
    void nothingReturnsToPoolThatTheTierPrefersAsMuch() {
        tier(new ReturnToSpotSpec("30m", 2), List.of(List.of("spot", "ondemand")), "spot", "ondemand");
        onDemandMachine("n");

        assertThat(chosen()).isEmpty();
    }

    @Test
    void staysIfTheTierDoesNotSayOtherwise() {
        tier(null, "spot", "ondemand");
        onDemandMachine("n");

        assertThat(chosen()).isEmpty();
    }

    @Test
    void staysIfNoEarlierPoolIsOfSpotMachines() {
        testCluster.pool("cheap", onDemand(1));
        tier(new ReturnToSpotSpec("30m", 2), "cheap", "ondemand", "spot");
        onDemandMachine("n");

        assertThat(chosen()).isEmpty();
    }

    @Test
    void asksOnlyEarlierPoolsThatFit() {
        testCluster.pool("cheap", onDemand(1)).pool("none", spot(0)).pool("more", spot(4));
        tier(new ReturnToSpotSpec("30m", 2), "none", "cheap", "more", "ondemand", "spot");
        onDemandMachine("n");

        assertThat(plan().growths()).extracting(growth -> growth.pool().name()).containsExactly("more");
    }

    @ParameterizedTest
    @CsvSource({"2026-01-01T11:30:00Z, 1", "2026-01-01T11:30:01Z, 0"})
    void staysForAWhileAfterItWasPlaced(String placed, int returns) {
        onDemandMachine("n");
        placed(placed);

        assertThat(chosen()).hasSize(returns);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                Names.RESUMABLE + "=false",
                Names.DO_NOT_DISRUPT + "=true",
                Names.GANG + "=g",
                "karpenter.sh/do-not-disrupt=2h"
            })
    void staysIfAPodMayNotBeMoved(String mark) {
        onDemandMachine("n");
        var parts = mark.split("=", 2);
        nodes.lastPod(
                pod -> pod.editMetadata().addToAnnotations(parts[0], parts[1]).endMetadata());

        assertThat(chosen()).isEmpty();
    }

    @Test
    void asksNoPoolOfWhichTheCloudReclaimsMachines() {
        onDemandMachine("n");
        nodes.node(
                "s", "spot", node -> tainted(NOTICE).apply(idleSince(LONG_AGO).apply(node)));

        assertThat(chosen()).isEmpty();
        assertThat(judge("n")).startsWith("busy Keep");
    }

    @Test
    void asksNoPoolWhoseMachinesTheSchedulerDidNotUseForSuchPods() {
        nodes.node("s", "spot", idleSince(LONG_AGO));
        testCluster.waiting(1, "other", "t", "nvidia.com/gpu", "1");
        var uid = testCluster.snapshot().waiting().get(0).uid();
        var spot = Exclusions.passedOver(testCluster.snapshot(), Map.of(uid, "s"))
                .pools()
                .get("spot");
        testCluster.pods.clear();
        onDemandMachine("n");
        assertThat(chosen()).hasSize(1);

        testCluster.ledgers.put("spot", spot.ledger());
        assertThat(chosen()).isEmpty();
        testCluster.later(Duration.ofMinutes(30));
        assertThat(chosen()).hasSize(1);
    }

    @Test
    void podWithAnEndlessGracePeriodStaysAndStopsNoRound() {
        onDemandMachine("n");
        placed("2026-01-01T11:00:00Z");
        nodes.lastPod(pod -> pod.editSpec()
                .withActiveDeadlineSeconds(86_400L)
                .withTerminationGracePeriodSeconds(Long.MAX_VALUE)
                .endSpec());

        assertThat(chosen()).isEmpty();
    }

    /** A machine boots in up to 15 minutes, the pod takes up to 30 s to end, and up to 10 minutes to be created again. */
    @ParameterizedTest
    @CsvSource({"5131, 1", "5130, 0", "0, 0"})
    void staysIfItsRemainingTimeIsShorterThanTheMove(long seconds, int returns) {
        onDemandMachine("n");
        placed("2026-01-01T11:00:00Z");
        nodes.lastPod(pod -> pod.editSpec().withActiveDeadlineSeconds(seconds).endSpec());

        assertThat(chosen()).hasSize(returns);
    }

    @Test
    void givesUpIfTheRemainingTimeHasBecomeTooShort() {
        onDemandMachine("n", RETURN, "running, 0, 2026-01-01T11:59:00Z");
        placed("2026-01-01T11:00:00Z");
        nodes.lastPod(pod -> pod.editSpec().withActiveDeadlineSeconds(4231L).endSpec());
        assertThat(attempt("n")).contains("running, 0, 2026-01-01T11:59:00Z");

        testCluster.later(Duration.ofSeconds(1));
        assertThat(attempt("n")).contains("failed, 1, 2026-01-01T12:00:01Z");
    }

    @Test
    void givesUpIfAnotherPodIsPlacedOnTheMachineMeanwhile() {
        testCluster.pool("spot", spot(2)).pool("ondemand", onDemand(2));
        onDemandMachine("n", RETURN, "running, 0, 2026-01-01T11:50:00Z");
        pod("new", "n");
        placed("2026-01-01T11:20:00Z");
        assertThat(chosen()).hasSize(2);

        placed("2026-01-01T11:20:01Z");
        assertThat(attempt("n")).contains("failed, 1, 2026-01-01T12:00:00Z");
    }

    @Test
    void machineStaysIfOneOfItsPodsStays() {
        testCluster.pool("spot", spot(2)).pool("ondemand", onDemand(2));
        onDemandMachine("n");
        pod("other", "n");
        assertThat(chosen()).hasSize(2);

        nodes.lastPod(
                pod -> pod.editMetadata().removeFromAnnotations(Names.TIER).endMetadata());
        assertThat(chosen()).isEmpty();
    }

    @Test
    void returnsNoMachineWithMorePodsThanMayReturnAtATime() {
        testCluster.pool("spot", spot(3)).pool("ondemand", onDemand(3));
        onDemandMachine("n");
        pod("second", "n");
        pod("third", "n");

        assertThat(chosen()).isEmpty();
    }

    @Test
    void returnsAtMostTheGivenNumberOfPods() {
        onDemandMachine("a");
        onDemandMachine("b", RETURN, "running, 1, 2026-01-01T11:59:00Z");
        onDemandMachine("c");
        assertThat(planned().returning()).extracting(move -> move.node()).containsExactly("b", "a");

        nodes.node("leaving", "ondemand", removing("return-to-spot, " + LATELY));
        pod("leaving", "leaving");
        assertThat(planned().returning()).extracting(move -> move.node()).containsExactly("leaving", "b");
    }

    @Test
    void beginsNothingUntilPodsOfTheLastReturnArePlaced() {
        onDemandMachine("a");
        nodes.node("emptied", "ondemand", removing("return-to-spot, " + LATELY, "idle-since", LATELY));
        assertThat(chosen()).isEmpty();

        testCluster.nodes.remove(1);
        testCluster.waiting(1, "again", "t", "nvidia.com/gpu", "1");
        assertThat(chosen()).isEmpty();
        testCluster.later(Duration.ofMinutes(15));
        assertThat(chosen()).as("the pod waits for something else").hasSize(1);
    }

    @Test
    void emptiesNoMachineOfThePoolsMinimum() {
        testCluster.pool("ondemand", onDemand(1).min(1));
        onDemandMachine("n");
        assertThat(chosen()).isEmpty();

        onDemandMachine("m");
        assertThat(chosen()).hasSize(1);
    }

    @Test
    void staysWhileADisruptionBudgetAllowsNoEviction() {
        onDemandMachine("a");
        onDemandMachine("b");
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editMetadata()
                .addToLabels("app", "training")
                .endMetadata()
                .build());
        budget(1);
        assertThat(chosen()).hasSize(1);
        budget(0);
        assertThat(chosen()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"2026-01-01T11:30:00Z, 1", "2026-01-01T11:30:01Z, 0"})
    void waitsAfterTheLastFailureOfThePool(Instant failed, int returns) {
        onDemandMachine("n");
        failed(Optional.empty(), failed);

        assertThat(chosen()).hasSize(returns);
    }

    @Test
    void asksNoPoolThatBacksOff() {
        onDemandMachine("n");
        failed(Optional.of(backOff(NOON.plusSeconds(1))), Instant.EPOCH);

        assertThat(chosen()).isEmpty();
    }

    @Test
    void triesPoolThatHasFailedWithOneMachineFirst() {
        onDemandMachine("a");
        onDemandMachine("b");
        failed(Optional.of(backOff(NOON)), Instant.EPOCH);
        assertThat(chosen()).hasSize(1);

        failed(Optional.empty(), Instant.EPOCH);
        assertThat(chosen()).hasSize(2);
    }

    @Test
    void asksNoPoolThatCannotBeReadOrIsFull() {
        onDemandMachine("n");
        testCluster.unreadable("spot");
        assertThat(chosen()).isEmpty();

        testCluster.pool("spot", spot(1).max(0));
        assertThat(chosen()).isEmpty();
    }

    @Test
    void givesUpIfNoMachineIsUsableInTime() {
        onDemandMachine("n", RETURN, "running, 1, 2026-01-01T11:40:01Z");
        assertThat(attempt("n")).contains("running, 1, 2026-01-01T11:40:01Z");

        testCluster.later(Duration.ofSeconds(1));
        assertThat(attempt("n")).contains("failed, 2, 2026-01-01T12:00:01Z");
    }

    @ParameterizedTest
    @CsvSource({
        "'failed, 1, 2026-01-01T11:00:00Z', 1",
        "'failed, 1, 2026-01-01T11:00:01Z', 0",
        "'failed, 2, 2026-01-01T10:00:00Z', 1",
        "'failed, 2, 2026-01-01T10:00:01Z', 0",
        "'failed, 40, 2026-01-01T08:00:00Z', 1",
        "'failed, 40, 2026-01-01T08:00:01Z', 0"
    })
    void doublesTheWaitAfterEachFailureUpToFourHours(String failed, int returns) {
        onDemandMachine("n", RETURN, failed);

        assertThat(chosen()).hasSize(returns);
        if (returns > 0) {
            assertThat(attempt("n").orElseThrow())
                    .startsWith(failed.replace("failed", "running").substring(0, 10));
        }
    }

    @Test
    void forgetsFailuresWhenTheMachineIsIdle() {
        nodes.node("n", "ondemand", marked("usable-since", LONG_AGO, RETURN.substring(14), "failed, 3, " + LATELY));

        assertThat(nodes.notes("n")).containsEntry(RETURN, Optional.empty());
    }

    @Test
    void evictsPodsOnceMachineIsCordoned() {
        leavingMachine();
        nodes.node("s", "spot", idleSince(LONG_AGO));

        assertThat(judge("n")).isEqualTo("draining Evict: 1 pod has to leave");
    }

    @Test
    void keepsMachineIfTheSpotMachineIsGoneBeforeTheEviction() {
        leavingMachine();

        assertThat(judge("n")).isEqualTo("busy Uncordon: no usable spot machine has room for its pods any more");
    }

    @Test
    void keepsMachineIfAPodMayNotBeMovedAnyMore() {
        leavingMachine();
        nodes.node("s", "spot", idleSince(LONG_AGO));
        nodes.lastPod(pod ->
                pod.editMetadata().addToAnnotations(Names.RESUMABLE, "false").endMetadata());

        assertThat(judge("n")).startsWith("busy Uncordon: pod team/n-pod is not moved");
    }

    @Test
    void nodeThatIsKeptMeanwhileReservesNoSpotMachine() {
        nodes.node(
                "n",
                "ondemand",
                removing("return-to-spot, " + LATELY, "usable-since", LONG_AGO)
                        .andThen(node -> node.editMetadata()
                                .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                                .endMetadata())::apply);
        pod("n-pod", "n");

        assertThat(chosen()).isEmpty();
    }

    @Test
    void emptiedMachineThatStaysHoldsUpOtherReturnsForAShortTimeOnly() {
        onDemandMachine("a");
        nodes.node("emptied", "ondemand", removing("return-to-spot, " + LATELY, "idle-since", LATELY));
        assertThat(chosen()).isEmpty();

        testCluster.later(Duration.ofMinutes(10));
        assertThat(chosen()).hasSize(1);
    }

    @Test
    void returnCountsAsFailedIfSomebodyCancelsTheRemoval() {
        nodes.node(
                "n",
                "ondemand",
                removing("return-to-spot, " + LATELY, "return-to-spot", "running, 0, 2026-01-01T11:55:00Z"));
        pod("n-pod", "n");

        assertThat(attempt("n")).contains("failed, 1, 2026-01-01T12:00:00Z");
    }

    @Test
    void keepsMachineOfPodThatCameAfterTheDecision() {
        leavingMachine();
        nodes.node("s", "spot", idleSince(LONG_AGO));
        placed("2026-01-01T11:45:00Z");

        assertThat(judge("n"))
                .isEqualTo("busy-unschedulable Uncordon: pod team/n-pod was placed on the node meanwhile");
    }

    @Test
    void keepsRoomForAnEvictedPodUntilItsControllerHasCreatedAnother() {
        leavingMachine();
        nodes.node("s", "spot", idleSince(LONG_AGO));
        nodes.lastPod(pod -> pod.editMetadata()
                .withDeletionTimestamp("2026-01-01T12:00:30Z")
                .withDeletionGracePeriodSeconds(30L)
                .endMetadata()
                .editStatus()
                .addNewCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .endCondition()
                .endStatus());
        assertThat(plan().reserved()).containsExactly("s");
        assertThat(plan().growths()).isEmpty();

        testCluster.waiting(1, "n-pod-again", "t", "nvidia.com/gpu", "1");
        assertThat(plan().reserved()).containsExactly("s");
        assertThat(plan().growths()).as("not both pods are planned for").isEmpty();
    }

    @Test
    void emptiedMachineStaysForAMinuteAndIsThenTerminated() {
        nodes.node(
                "n",
                "ondemand",
                removing("return-to-spot, 2026-01-01T11:58:00Z", "idle-since", "2026-01-01T11:59:01Z"));
        assertThat(judge("n")).startsWith("idle-unschedulable Keep");

        testCluster.later(Duration.ofSeconds(1));
        assertThat(judge("n")).startsWith("idle-unschedulable Terminate");
    }

    private void onDemandMachine(String name, String... mark) {
        UnaryOperator<NodeBuilder> marks = mark.length == 0
                ? marked("usable-since", LONG_AGO)
                : marked("usable-since", LONG_AGO, mark[0].substring("trainyard.dev/".length()), mark[1]);
        nodes.node(name, "ondemand", marks);
        pod(name + "-pod", name);
    }

    private void leavingMachine() {
        nodes.node("n", "ondemand", removing("return-to-spot, " + LATELY, "usable-since", LONG_AGO));
        pod("n-pod", "n");
    }

    private void pod(String name, String node) {
        testCluster.running(name, node, "nvidia.com/gpu", "1");
        nodes.lastPod(
                pod -> pod.editMetadata().addToAnnotations(Names.TIER, "t").endMetadata());
    }

    private void placed(String time) {
        nodes.lastPod(pod -> pod.editStatus().withStartTime(time).endStatus());
    }

    private void tier(ReturnToSpotSpec settings, String... pools) {
        tier(settings, null, pools);
    }

    private void tier(ReturnToSpotSpec settings, List<List<String>> equallyPreferred, String... pools) {
        testCluster.tiers.put(
                "t",
                TrainingTierSpec.builder(List.of(pools))
                        .equallyPreferred(equallyPreferred)
                        .resumable(true)
                        .returnToSpot(settings)
                        .deadlines(true)
                        .build());
    }

    private void failed(Optional<BackOff> backOff, Instant at) {
        testCluster.ledgers.put("spot", new PoolLedger(backOff, at, Debt.NONE, Optional.empty(), 0));
    }

    private static BackOff backOff(Instant until) {
        return new BackOff(until, FailureKind.SPOT_CAPACITY, "none left", 1);
    }

    private void budget(int allowed) {
        testCluster.budgets.clear();
        testCluster.budgets.add(new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName("training")
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .withMatchLabels(Map.of("app", "training"))
                .endSelector()
                .endSpec()
                .withNewStatus()
                .withDisruptionsAllowed(allowed)
                .endStatus()
                .build());
    }

    private List<PendingPod> chosen() {
        return SpotReturns.begin(testCluster.snapshot()).returning().stream()
                .flatMap(move -> move.pods().stream())
                .toList();
    }

    private Plan plan() {
        return Planner.plan(SpotReturns.begin(testCluster.snapshot()));
    }

    private Snapshot planned() {
        var begun = SpotReturns.begin(testCluster.snapshot());
        return Planner.plan(begun).staged(begun);
    }

    private String judge(String node) {
        return Lifecycle.judge(planned(), plan().reserved()).stream()
                .filter(verdict -> verdict.node().name().equals(node))
                .map(verdict -> "%s %s: %s"
                        .formatted(verdict.state(), verdict.step().getClass().getSimpleName(), verdict.reason()))
                .findFirst()
                .orElseThrow();
    }

    private Optional<String> attempt(String node) {
        var snapshot = planned();
        return snapshot.nodes().stream()
                .filter(view -> view.name().equals(node))
                .findFirst()
                .flatMap(view -> SpotReturns.attempt(view, snapshot))
                .map(Object::toString);
    }
}
