package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.NoticeSign;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that violations of the invariants of notices are detected. Only the test removes machines, unless there is a scaler. */
class NoticeInvariantsTest {

    private static final String AVOIDED = "no pod is placed on a machine under notice";
    private static final String REPLACED = "machines are requested before the evictions of a notice";
    private static final String REAL = "only a notice of a reclaim removes a machine early";
    private static final String BROKEN = "only a broken machine is replaced as broken";
    private static final String NOTHING_LEFT = "a withdrawn notice leaves nothing behind";

    private static final Duration LEAD = Duration.ofMinutes(4);

    private final List<Round.Result> rounds = new ArrayList<>();
    private Scene scene = Scene.withoutScaler(0);
    private NoticeInvariants notices = notices();

    @ParameterizedTest
    @EnumSource(names = {"STATED", "CONDITION", "AWS", "GOOGLE"})
    void podIsPlacedOnMachineUnderNotice(NoticeSign sign) throws ProviderException {
        var node = scene.machine();
        put(sign, node);
        scene.pod("at-once", null, Map.of());
        scene.pod("later", null, Map.of());
        scene.change("at-once", pod -> pod.editSpec().withNodeName(node).endSpec());
        scene.pass(Duration.ofSeconds(1));

        breaks(AVOIDED, () -> scene.bind("later", node));
    }

    @Test
    void podMayBePlacedOnMachineThatOutlivedItsNotice() throws ProviderException {
        var node = scene.machine();
        put(NoticeSign.STATED, node);
        scene.pod("pod", null, Map.of());
        scene.pass(LEAD.plusMinutes(5));

        scene.bind("pod", node);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOMMENDATION", "AWS_RECOMMENDATION"})
    void recommendationDrainsMachine(NoticeSign sign) throws ProviderException {
        var node = scene.machine();
        put(sign, node);
        scene.pod("pod", node, Map.of());

        scene.cordon(node, Removal.Reason.RECLAIM_ANNOUNCED, scene.now());

        breaks(REAL, () -> scene.pass(Duration.ofSeconds(1)));
        breaks(REAL, () -> notices.evicts(scene.asked("pod")));
    }

    @Test
    void machineIsDrainedLongAfterItsNotice() throws ProviderException {
        var node = scene.machine();
        put(NoticeSign.STATED, node);
        scene.pass(LEAD.plusMinutes(9));
        scene.cordon(node, Removal.Reason.RECLAIM_ANNOUNCED, scene.now());

        breaks(REAL, () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void machineMayBeDrainedJustAfterItsLifecycleHookTimedOut() throws ProviderException {
        var node = heldForAMinute();
        scene.pod("pod", node, Map.of());
        scene.pass(Duration.ofSeconds(62));

        scene.cordon(node, Removal.Reason.RECLAIM_ANNOUNCED, scene.now());
        scene.pass(Duration.ofSeconds(1));
        notices.evicts(scene.asked("pod"));
    }

    @Test
    void machineIsDrainedLongAfterItsLifecycleHookTimedOut() throws ProviderException {
        var node = heldForAMinute();
        var left = scene.world().server().nodes().get(node).orElseThrow();
        scene.pass(Duration.ofMinutes(5));
        scene.world().server().nodes().create(left);
        scene.cordon(node, Removal.Reason.RECLAIM_ANNOUNCED, scene.now());

        breaks(REAL, () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void intactMachineIsReplacedAsBroken() throws ProviderException {
        var node = scene.machine();

        scene.cordon(node, Removal.Reason.SICK, scene.now());

        breaks(BROKEN, () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void foreignNodeThatLostGpuIsReplacedAsBroken() throws ProviderException {
        var node = scene.machine();
        var foreign = new NodeBuilder(scene.world().server().nodes().get(node).orElseThrow())
                .editMetadata()
                .withName("foreign")
                .endMetadata()
                .build();
        scene.world().server().nodes().create(foreign);
        loseGpu("foreign");
        scene.cordon("foreign", Removal.Reason.SICK, scene.now());

        breaks(BROKEN, () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void machineIsReplacedAsBrokenLongAfterItsGpuIsBack() throws ProviderException {
        var node = scene.machine();
        var whole = scene.world().server().nodes().get(node).orElseThrow();
        loseGpu(node);
        scene.pass(Duration.ofMinutes(5));
        scene.world()
                .server()
                .nodes()
                .changeIfThere(
                        node,
                        before -> new NodeBuilder(before)
                                .withStatus(whole.getStatus())
                                .build());
        scene.pass(Duration.ofMinutes(4));
        scene.cordon(node, Removal.Reason.SICK, scene.now());

        breaks(BROKEN, () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void machineStaysBrokenIfItsNodeChangesWhileItsPoolIsInvalid() throws ProviderException {
        var node = scene.machine();
        loseGpu(node);
        scene.cordon(node, Removal.Reason.SICK, scene.now());
        scene.pass(Duration.ofSeconds(1));
        var pool = scene.world().server().pools().get("gpu").orElseThrow();
        scene.world().server().pools().remove("gpu");
        scene.pass(Duration.ofSeconds(1));
        scene.mark(node, "example.com/changed");
        scene.pass(Duration.ofSeconds(1));
        scene.world().server().pools().create(pool);

        rounds(Duration.ofMinutes(10));
    }

    @Test
    void noticeOverridesProtectionByOperators() throws ProviderException {
        var node = scene.machine();
        scene.cordonBySomebodyElse(node);
        scene.mark(node, Names.DO_NOT_DISRUPT);
        scene.pod("protected", node, Map.of(Names.DO_NOT_DISRUPT, "true"));
        scene.pass(Duration.ofMinutes(4));
        put(NoticeSign.STATED, node);
        scene.pass(Duration.ofSeconds(1));

        scene.cordon(node, Removal.Reason.RECLAIM_ANNOUNCED, scene.now());
        scene.pass(Duration.ofSeconds(1));
        scene.invariants().evicts(scene.asked("protected"));
        scene.world().server().pods().remove("team/protected");
        scene.invariants().terminates(scene.pool(), node);
    }

    @Test
    void machineTakesNoPodsAfterItsNoticeIsWithdrawn() throws ProviderException {
        var node = scene.machine();
        put(NoticeSign.STATED, node);
        scene.pass(Duration.ofSeconds(1));
        scene.cordon(node, Removal.Reason.RECLAIM_ANNOUNCED, scene.now());
        rounds(LEAD.minusMinutes(1));
        remove(NoticeSign.STATED, node);

        rounds(Duration.ofMinutes(5));
        breaks(NOTHING_LEFT, () -> rounds(Duration.ofSeconds(30)));
    }

    @Test
    void podKeepsAnnotationAfterTheNoticeIsOutlived() throws ProviderException {
        var node = scene.machine();
        put(NoticeSign.STATED, node);
        scene.pod("pod", node, Map.of(Names.ENDS_AT, scene.now().toString()));
        rounds(LEAD.plusMinutes(9));

        breaks(NOTHING_LEFT, () -> rounds(Duration.ofMinutes(2)));
    }

    @Test
    void annotationIsLeftInTheFinalState() throws ProviderException {
        var node = scene.machine();
        notices.settled();

        scene.pod("pod", node, Map.of(Names.CHECKPOINT_SINCE, scene.now().toString()));

        breaks(NOTHING_LEFT, notices::settled);
    }

    @Test
    void podIsEvictedBeforeItsMachineIsRequested() {
        var round = evictingRound(false);

        breaks(REPLACED, () -> notices.ended(round));
    }

    @Test
    void podIsEvictedInARoundThatDoesNotPlanForIt() {
        var round = evictingRound(true);
        var noPlan = new Plan(List.of(), List.of(), Map.of(), Set.of());

        breaks(
                REPLACED,
                () -> notices.ended(
                        new Round.Result(round.snapshot(), noPlan, round.verdicts(), round.next(), round.mistakes())));
    }

    @Test
    void machineIsRequestedBeforeItsPodIsEvicted() {
        notices.ended(evictingRound(true));
    }

    /**
     * Returns a round of a scaler that evicts a pod because of a notice. The invariants learn of the eviction.
     *
     * @param requested whether the invariants learn of a request before the eviction
     */
    private Round.Result evictingRound(boolean requested) {
        scene = Scene.disturbed(1, new Disturbance() {
            @Override
            public void ended(Round.Result round) {
                rounds.add(round);
            }
        });
        notices = notices();
        scene.pass(Duration.ofMinutes(5));
        var node = scene.world().cloud().running("gpu").get(0);
        scene.pod("pod", node, Map.of(Names.TIER, "gpu"), "1");
        scene.pass(Duration.ofMinutes(1));
        put(NoticeSign.STATED, node);
        scene.pass(Duration.ofMillis(1));
        if (requested) {
            notices.grows("gpu");
        }
        notices.evicts(scene.asked("pod"));
        scene.pass(Duration.ofSeconds(5));

        var evicting = rounds.stream()
                .filter(round -> round.verdicts().stream().anyMatch(verdict -> verdict.step() instanceof Verdict.Drain))
                .toList();
        assertThat(evicting).hasSize(1);
        return evicting.get(0);
    }

    private NoticeInvariants notices() {
        var announced = new AnnouncedNodes(scene.world());
        return new NoticeInvariants(scene.world(), announced, new LeavingGangs(scene.world(), announced));
    }

    /** Returns the node of a machine in a new cluster that a lifecycle hook holds for a minute. */
    private String heldForAMinute() throws ProviderException {
        scene = Scene.withLifecycleHooks();
        notices = notices();
        var node = scene.machine();
        assertThat(scene.world().cloud().hold(scene.pool(), node, Duration.ofMinutes(1)))
                .isTrue();
        return node;
    }

    private void loseGpu(String node) {
        scene.world()
                .server()
                .nodes()
                .changeIfThere(
                        node,
                        before -> new NodeBuilder(before)
                                .editStatus()
                                .addToAllocatable(NodeFacts.GPUS, new Quantity("3"))
                                .endStatus()
                                .build());
    }

    private void put(NoticeSign sign, String node) {
        scene.world().server().nodes().changeIfThere(node, before -> sign.put(before, scene.now(), LEAD));
    }

    private void remove(NoticeSign sign, String node) {
        scene.world().server().nodes().changeIfThere(node, sign::without);
    }

    /** Reports a round without verdicts every ten seconds. */
    private void rounds(Duration length) {
        var empty = new Round.Result(
                snapshot(), new Plan(List.of(), List.of(), Map.of(), Set.of()), List.of(), Optional.empty(), List.of());
        for (long passed = 0; passed < length.toSeconds(); passed += 10) {
            notices.ended(empty);
            scene.pass(Duration.ofSeconds(10));
        }
    }

    private static Snapshot snapshot() {
        var seen = new ArrayList<Round.Result>();
        Scene.disturbed(0, new Disturbance() {
                    @Override
                    public void ended(Round.Result round) {
                        seen.add(round);
                    }
                })
                .pass(Duration.ofMinutes(1));
        return seen.get(0).snapshot();
    }
}
