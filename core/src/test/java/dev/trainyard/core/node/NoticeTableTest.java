package dev.trainyard.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingClusterSpec.NoticeMeaning;
import dev.trainyard.core.node.NodeNotice.Kind;
import dev.trainyard.core.node.NoticeEntry.Sign;
import io.fabric8.kubernetes.api.model.NodeBuilder;
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

class NoticeTableTest {

    private static final Instant NOW = Instant.parse("2026-08-03T08:17:40Z");

    /** The handler states no time on its taints, so the notice begins when the scaler sees the taint. */
    @ParameterizedTest
    @ValueSource(strings = {"spot-itn", "scheduled-maintenance", "asg-lifecycle-termination"})
    void assumesTwoMinutesForTaintOfAwsNodeTerminationHandler(String taint) {
        var node = node(of -> of.editOrNewSpec()
                .addNewTaint("NoSchedule", "aws-node-termination-handler/" + taint, null, "spot-itn-f00d")
                .endSpec());

        assertThat(NoticeTable.BUILT_IN.read(node.build(), NOW))
                .contains(new NodeNotice(
                        Kind.RECLAIM,
                        "taint aws-node-termination-handler/" + taint,
                        NOW,
                        NOW.plusSeconds(120),
                        false,
                        Map.of("taint aws-node-termination-handler/" + taint, NOW)));
    }

    @Test
    void machineThatWaitsToBeTerminatedIsUnderNoticeForAsLongAsItWaits() {
        var node = node(of -> of.editMetadata()
                .addToAnnotations("trainyard.dev/noticed-since", "lifecycle hook 2026-08-03T07:17:00Z")
                .endMetadata());

        assertThat(NoticeTable.BUILT_IN.read(node.build(), true, Optional.empty(), false, NOW))
                .hasValueSatisfying(notice -> {
                    assertThat(notice.kind()).isEqualTo(Kind.RECLAIM);
                    assertThat(notice.deadline()).isEqualTo("2026-08-03T07:19:00Z");
                    assertThat(notice.stated()).isFalse();
                    assertThat(NoticeTable.noticedSince(notice)).contains("lifecycle hook 2026-08-03T07:17:00Z");
                });
        assertThat(NoticeTable.BUILT_IN.read(node.build(), NOW)).isEmpty();
    }

    @Test
    void countsFromTheTimeThatTheScalerHasRecorded() {
        var node = node(of -> of.editMetadata()
                .addToAnnotations(
                        "trainyard.dev/noticed-since",
                        "taint aws-node-termination-handler/spot-itn 2026-08-03T08:17:00Z")
                .endMetadata()
                .editOrNewSpec()
                .addNewTaint("NoSchedule", "aws-node-termination-handler/spot-itn", null, "x")
                .endSpec());

        assertThat(deadline(NoticeTable.BUILT_IN, node)).isEqualTo("2026-08-03T08:19:00Z");
    }

    @Test
    void takesRebalanceRecommendationForCheckpointOnly() {
        var node = node(of -> of.editOrNewSpec()
                .addNewTaint("NoSchedule", "aws-node-termination-handler/rebalance-recommendation", null, "x")
                .endSpec());

        assertThat(kind(NoticeTable.BUILT_IN, node)).isEqualTo(Kind.CHECKPOINT);
    }

    /** Messages of the node problem detector of AKS. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "VMEventScheduled | Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. DurationInSeconds: -1. For more information, see"
                        + " https://aka.ms/aks/scheduledevents EventId: 218E4ED7 | RECLAIM | 2026-08-03T08:18:16Z | true",
                "VMEventScheduled | Terminate Scheduled: Mon, 3 Aug 2026 08:22:00 UTC. | RECLAIM | 2026-08-03T08:22:00Z | true",
                "PreemptionScheduled | Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. EventId: A1 | RECLAIM | 2026-08-03T08:18:16Z | true",
                "PreemptionScheduled | Preempt Started: . | RECLAIM | 2026-08-03T08:18:07Z | false",
                "PreemptionScheduled | SpotRebalanceRecommendation Advisory: Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT."
                        + " | CHECKPOINT | 2026-08-03T08:17:37Z | false",
                "PreemptScheduled | soon | RECLAIM | 2026-08-03T08:18:07Z | false",
            })
    void readsConditionsOfAks(String type, String message, Kind kind, Instant deadline, boolean stated) {
        var notice = NoticeTable.BUILT_IN.read(condition(type, "True", message).build(), NOW);

        assertThat(notice)
                .contains(new NodeNotice(
                        kind, "condition " + type, Instant.parse("2026-08-03T08:17:37Z"), deadline, stated, Map.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "VMEventScheduled | True    | Freeze Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.",
                "VMEventScheduled | True    | Reboot Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.",
                "VMEventScheduled | True    | Redeploy Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.",
                "VMEventScheduled | False   | VM has no scheduled event",
                "VMEventScheduled | Unknown | Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.",
                "Ready            | True    | kubelet is posting ready status",
            })
    void ignoresConditionsAfterWhichTheMachineComesBack(String type, String status, String message) {
        assertThat(NoticeTable.BUILT_IN.read(condition(type, status, message).build(), NOW))
                .isEmpty();
    }

    /** AKS sets this taint also to repair a node that stays. */
    @Test
    void readsTaintOfAksOnSpotNodesOnly() {
        var node = node(of -> of.editOrNewSpec()
                .addNewTaint(
                        "NoSchedule", "remediator.kubernetes.azure.com/unschedulable", "2026-08-03T08:17:43Z", null)
                .endSpec());
        assertThat(NoticeTable.BUILT_IN.read(node.build(), NOW)).isEmpty();

        node.editMetadata()
                .addToLabels("kubernetes.azure.com/scalesetpriority", "spot")
                .endMetadata();

        assertThat(deadline(NoticeTable.BUILT_IN, node)).isEqualTo("2026-08-03T08:18:13Z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cloud.google.com/impending-node-termination", "aks-node-termination-handler/preempt"})
    void assumesThirtySecondsForTaintsOfGoogleAndAzure(String taint) {
        var node = node(of ->
                of.editOrNewSpec().addNewTaint("NoSchedule", taint, null, null).endSpec());

        assertThat(deadline(NoticeTable.BUILT_IN, node)).isEqualTo(NOW.plusSeconds(30));
    }

    @Test
    void takesTheNearestDeadline() {
        var node = condition("VMEventScheduled", "True", "Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.")
                .editMetadata()
                .addToLabels("kubernetes.azure.com/scalesetpriority", "spot")
                .endMetadata()
                .editOrNewSpec()
                .addNewTaint(
                        "NoSchedule", "remediator.kubernetes.azure.com/unschedulable", "2026-08-03T08:17:43Z", null)
                .endSpec();

        assertThat(deadline(NoticeTable.BUILT_IN, node)).isEqualTo("2026-08-03T08:18:13Z");
    }

    /** Such as Azure's Terminate event of a scale set, or a planned end that another tool knows. */
    @Test
    void waitsUntilFifteenMinutesBeforeTheDeadline() {
        var node = condition("VMEventScheduled", "True", "Terminate Scheduled: Mon, 03 Aug 2026 20:00:00 GMT.");

        var before = NoticeTable.BUILT_IN
                .read(node.build(), Instant.parse("2026-08-03T19:44:59Z"))
                .orElseThrow();
        assertThat(before.kind()).isEqualTo(Kind.LATER_RECLAIM);
        assertThat(before.nextChange()).contains(Instant.parse("2026-08-03T19:45:00Z"));
        assertThat(NoticeTable.BUILT_IN.read(node.build(), Instant.parse("2026-08-03T19:45:00Z")))
                .map(NodeNotice::kind)
                .contains(Kind.RECLAIM);
    }

    @Test
    void farDeadlineDoesNotHideNearOne() {
        var node = condition("VMEventScheduled", "True", "Terminate Scheduled: Mon, 03 Aug 2026 08:30:00 GMT.")
                .editOrNewSpec()
                .addNewTaint("NoSchedule", "aws-node-termination-handler/spot-itn", null, "x")
                .endSpec();

        assertThat(deadline(NoticeTable.BUILT_IN, node)).isEqualTo(NOW.plusSeconds(120));
    }

    /** The handler replaces its taint for the recommendation by the one for the interruption, or keeps both. */
    @Test
    void countsEachSignFromItsOwnTime() {
        var recorded = "taint aws-node-termination-handler/rebalance-recommendation 2026-08-03T08:07:40Z";
        var node = node(of -> of.editMetadata()
                .addToAnnotations("trainyard.dev/noticed-since", recorded)
                .endMetadata()
                .editOrNewSpec()
                .addNewTaint("NoSchedule", "aws-node-termination-handler/rebalance-recommendation", null, "x")
                .addNewTaint("NoSchedule", "aws-node-termination-handler/spot-itn", null, "x")
                .endSpec());

        var notice = NoticeTable.BUILT_IN.read(node.build(), NOW).orElseThrow();
        assertThat(notice.deadline()).isEqualTo(NOW.plusSeconds(120));
        assertThat(NoticeTable.noticedSince(notice))
                .contains(recorded + ", taint aws-node-termination-handler/spot-itn 2026-08-03T08:17:40Z");
    }

    @Test
    void countsReclaimAsOutlivedFiveMinutesAfterItsDeadline() {
        var node = condition("VMEventScheduled", "True", "Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.");

        assertThat(NoticeTable.BUILT_IN.read(node.build(), Instant.parse("2026-08-03T08:23:15Z")))
                .map(NodeNotice::kind)
                .contains(Kind.RECLAIM);
        assertThat(NoticeTable.BUILT_IN.read(node.build(), Instant.parse("2026-08-03T08:23:16Z")))
                .map(NodeNotice::kind)
                .contains(Kind.OUTLIVED);
    }

    @ParameterizedTest
    @CsvSource({
        "AcceleratedHardwareReady, False, condition AcceleratedHardwareReady False",
        "GPUMissing, True, condition GPUMissing",
        "NVLinkStatusInactive, True, condition NVLinkStatusInactive",
        "XIDErrors, True, condition XIDErrors",
        "IBLinkFlapping, True, condition IBLinkFlapping",
        "CperHardwareErrorFatal, True, condition CperHardwareErrorFatal",
    })
    void countsReportedMachineAsSickAfterTwoMinutes(String type, String status, String sign) {
        var node = condition(type, status, "x").build();
        var since = Instant.parse("2026-08-03T08:17:37Z");

        assertThat(NoticeTable.BUILT_IN.read(node, since.plusSeconds(119)))
                .contains(new NodeNotice(Kind.SUSPECT, sign, since, since.plusSeconds(120), false, Map.of()));
        assertThat(NoticeTable.BUILT_IN.read(node, since.plusSeconds(120)))
                .contains(new NodeNotice(Kind.SICK, sign, since, since.plusSeconds(120), false, Map.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "AcceleratedHardwareReady, True",
        "AcceleratedHardwareReady, Unknown",
        "GPUMissing, False",
        "GPUMissing, Unknown",
        "KernelReady, False",
    })
    void ignoresConditionsOfWholeMachines(String type, String status) {
        assertThat(NoticeTable.BUILT_IN.read(condition(type, status, "x").build(), NOW.plusSeconds(3600)))
                .isEmpty();
    }

    /** NVSentinel removes the label once the node is healthy. */
    @Test
    void countsLabelledMachineAsSickAfterTwoMinutes() {
        var label = "dgxc.nvidia.com/nvsentinel-state";
        var node =
                node(of -> of.editMetadata().addToLabels(label, "quarantined").endMetadata());
        var seen = node(of -> of.editMetadata()
                .addToLabels(label, "draining")
                .addToAnnotations("trainyard.dev/noticed-since", "label " + label + " 2026-08-03T08:15:40Z")
                .endMetadata());

        assertThat(kind(NoticeTable.BUILT_IN, node)).isEqualTo(Kind.SUSPECT);
        assertThat(NoticeTable.BUILT_IN.read(seen.build(), NOW))
                .hasValueSatisfying(notice -> assertThat(notice.isLabel()).isTrue())
                .map(NodeNotice::kind)
                .contains(Kind.SICK);
    }

    @Test
    void prefersReclaimToBrokenMachine() {
        var node = condition("GPUMissing", "True", "x")
                .editStatus()
                .addNewCondition()
                .withType("PreemptScheduled")
                .withStatus("True")
                .withLastTransitionTime("2026-08-03T08:20:00Z")
                .endCondition()
                .endStatus();

        assertThat(NoticeTable.BUILT_IN.read(node.build(), Instant.parse("2026-08-03T08:20:01Z")))
                .map(NodeNotice::kind)
                .contains(Kind.RECLAIM);
    }

    @Test
    void signFirstSeenBeforeTheClockWasSetBackCountsFromNow() {
        var first = NoticeTable.BUILT_IN
                .read(node(of -> of).build(), false, Optional.of(Duration.ofMinutes(15)), false, NOW)
                .orElseThrow();
        var marked = node(of -> of.editMetadata()
                        .addToAnnotations(
                                "trainyard.dev/noticed-since",
                                NoticeTable.noticedSince(first).orElseThrow())
                        .endMetadata())
                .build();
        var earlier = NOW.minus(Duration.ofHours(1));

        assertThat(NoticeTable.BUILT_IN.read(marked, false, Optional.of(Duration.ofMinutes(15)), false, earlier))
                .hasValueSatisfying(notice -> assertThat(notice.since()).isEqualTo(earlier));
    }

    @Test
    void recordsWhenLostGpusWereFirstSeen() {
        var node = node(of -> of).build();
        var first = NoticeTable.BUILT_IN
                .read(node, false, Optional.of(Duration.ofMinutes(15)), false, NOW)
                .orElseThrow();
        var later = node(of -> of.editMetadata()
                        .addToAnnotations(
                                "trainyard.dev/noticed-since",
                                NoticeTable.noticedSince(first).orElseThrow())
                        .endMetadata())
                .build();

        assertThat(first.kind()).isEqualTo(Kind.SUSPECT);
        assertThat(NoticeTable.BUILT_IN
                        .read(
                                later,
                                false,
                                Optional.of(Duration.ofMinutes(15)),
                                false,
                                NOW.plus(Duration.ofMinutes(15)))
                        .map(NodeNotice::kind))
                .contains(Kind.SICK);
    }

    @Test
    void machineThatWaitsToBeTerminatedIsReclaimedAlsoIfItHasLostGpus() {
        var notice = NoticeTable.BUILT_IN
                .read(node(of -> of).build(), true, Optional.of(Duration.ZERO), false, NOW)
                .orElseThrow();

        assertThat(notice.kind()).isEqualTo(Kind.RECLAIM);
        assertThat(notice.firstSeen()).containsOnlyKeys("lifecycle hook", "lost GPUs");
    }

    @Test
    void readsEntriesOfTheUser() {
        var table = NoticeTable.with(List.of(
                new NoticeEntry(
                        Sign.ANNOTATION,
                        "example.com/ends",
                        NoticeMeaning.RECLAIM,
                        Duration.ofMinutes(1),
                        List.of(),
                        Map.of()),
                new NoticeEntry(
                        Sign.TAINT,
                        "aws-node-termination-handler/spot-itn",
                        NoticeMeaning.NOTHING,
                        Duration.ZERO,
                        List.of(),
                        Map.of())));
        var node = node(of -> of.editMetadata()
                .addToAnnotations("example.com/ends", "at 2026-08-03T09:00:00Z")
                .endMetadata());
        var ignored = node(of -> of.editOrNewSpec()
                .addNewTaint("NoSchedule", "aws-node-termination-handler/spot-itn", null, "x")
                .endSpec());

        assertThat(deadline(table, node)).isEqualTo("2026-08-03T09:00:00Z");
        assertThat(NoticeTable.BUILT_IN.read(node.build(), NOW)).isEmpty();
        assertThat(table.read(ignored.build(), NOW)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Preempt Scheduled: Xyz, 99 Aug 2026 08:18:16 GMT.",
                "Preempt Scheduled: 2026-99-03T08:18:16Z",
                "Preempt Scheduled:",
            })
    void assumesTimeIfTheStatedOneIsMalformed(String message) {
        assertThat(deadline(NoticeTable.BUILT_IN, condition("VMEventScheduled", "True", message)))
                .isEqualTo("2026-08-03T08:18:07Z");
    }

    @Test
    void readsNodeWithoutSpecAndStatus() {
        var node =
                new NodeBuilder().withNewMetadata().withName("n").endMetadata().build();

        assertThat(NoticeTable.BUILT_IN.read(node, NOW)).isEmpty();
    }

    private static Instant deadline(NoticeTable table, NodeBuilder node) {
        return table.read(node.build(), NOW).orElseThrow().deadline();
    }

    private static Kind kind(NoticeTable table, NodeBuilder node) {
        return table.read(node.build(), NOW).orElseThrow().kind();
    }

    private static NodeBuilder condition(String type, String status, String message) {
        return node(of -> of.editOrNewStatus()
                .addNewCondition()
                .withType(type)
                .withStatus(status)
                .withMessage(message)
                .withLastTransitionTime("2026-08-03T08:17:37Z")
                .endCondition()
                .endStatus());
    }

    private static NodeBuilder node(UnaryOperator<NodeBuilder> change) {
        return change.apply(new NodeBuilder().withNewMetadata().withName("n").endMetadata());
    }
}
