package dev.trainyard.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeMeaning;
import dev.trainyard.core.node.NodeNotice.Kind;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MachineNoticeTest {

    private static final Instant NOW = Instant.parse("2026-08-03T08:17:40Z");
    private static final Instant END = NOW.plusSeconds(120);
    private static final MachineNotice INTERRUPTION = MachineNotice.of("i-1", Names.AWS_SPOT_INTERRUPTION, END, NOW);

    @Test
    void interruptionIsReclaimAtItsDeadline() {
        var notice = read(INTERRUPTION).orElseThrow();

        assertThat(notice.kind()).isEqualTo(Kind.RECLAIM);
        assertThat(notice.deadline()).isEqualTo(END);
        assertThat(notice.stated()).isTrue();
    }

    @Test
    void scheduledEndCountsWhenItIsNear() {
        var end = NOW.plusSeconds(86_400);
        assertThat(read(MachineNotice.of("i-1", Names.AWS_SCHEDULED_END, end, NOW))
                        .orElseThrow())
                .extracting(NodeNotice::kind, NodeNotice::deadline)
                .containsExactly(Kind.LATER_RECLAIM, end);
        assertThat(read(MachineNotice.withdrawn("i-1", Names.AWS_SCHEDULED_END, NOW)))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {Names.AWS_INSTANCE_STATE, Names.AWS_LIFECYCLE_ACTION})
    void endingInstanceIsReclaimAtAnAssumedTime(String annotation) {
        var notice = read(MachineNotice.ending("i-1", annotation, NOW.minusSeconds(10)))
                .orElseThrow();

        assertThat(notice.kind()).isEqualTo(Kind.RECLAIM);
        assertThat(notice.deadline()).isEqualTo(NOW.plusSeconds(110));
        assertThat(notice.stated()).isFalse();
    }

    @Test
    void timeOfTheAnnouncementIsNoDeadline() {
        var own = new NoticeEntry(
                NoticeEntry.Sign.ANNOTATION,
                Names.AWS_REBALANCE_RECOMMENDATION,
                NoticeMeaning.RECLAIM,
                Duration.ofMinutes(3),
                List.of(),
                Map.of());
        var notice = new MachineNotice("i-1", own.key(), "elevated risk", NOW.minusSeconds(60));

        assertThat(NoticeTable.with(List.of(own)).read(node(notice), NOW)).hasValueSatisfying(read -> {
            assertThat(read.deadline()).isEqualTo(NOW.plusSeconds(120));
            assertThat(read.stated()).isFalse();
        });
    }

    @Test
    void recommendationIsForCheckpointAndMaintenanceMeansNothing() {
        var recommended = NOW.minusSeconds(60);
        assertThat(read(new MachineNotice("i-1", Names.AWS_REBALANCE_RECOMMENDATION, "elevated risk", recommended)))
                .hasValueSatisfying(notice -> {
                    assertThat(notice.kind()).isEqualTo(Kind.CHECKPOINT);
                    assertThat(notice.since()).isEqualTo(recommended);
                    assertThat(notice.firstSeen()).isEmpty();
                });
        assertThat(read(MachineNotice.of("i-1", Names.AWS_SCHEDULED_MAINTENANCE, END, NOW)))
                .isEmpty();
    }

    @Test
    void onlyLaterAnnouncementReplacesEarlierOne() {
        var present = INTERRUPTION.value();

        assertThat(INTERRUPTION.replaces(null)).isTrue();
        assertThat(INTERRUPTION.replaces(present)).isFalse();
        assertThat(INTERRUPTION.replaces("anything")).isTrue();
        assertThat(announced(NOW.plusSeconds(1)).replaces(present)).isTrue();
        assertThat(announced(NOW.minusSeconds(1)).replaces(present)).isFalse();
        assertThat(MachineNotice.withdrawn("i-1", "a", NOW.plusSeconds(1)).replaces(present))
                .isTrue();
        assertThat(announced(NOW)
                        .replaces(MachineNotice.withdrawn("i-1", "a", NOW.plusSeconds(1))
                                .value()))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "aws:///eu-west-1a/i-1, true",
        "aws:///eu-west-1a/i-12, false",
        "aws:///eu-west-1a/xi-1, false",
        "i-1, false",
        ", false"
    })
    void concernsNodeOfItsMachine(String providerId, boolean expected) {
        assertThat(MachineNotice.machineOf(providerId).equals(Optional.of(INTERRUPTION.machine())))
                .isEqualTo(expected);
    }

    @Test
    void withdrawnNoticeMeansNothingAlsoIfASettingMakesItAReclaim() {
        var table = NoticeTable.with(List.of(new NoticeEntry(
                NoticeEntry.Sign.ANNOTATION,
                Names.AWS_SCHEDULED_MAINTENANCE,
                NoticeMeaning.RECLAIM,
                Duration.ofMinutes(2),
                List.of(),
                Map.of())));

        assertThat(table.read(node(MachineNotice.of("i-1", Names.AWS_SCHEDULED_MAINTENANCE, END, NOW)), NOW))
                .isPresent();
        assertThat(table.read(node(MachineNotice.withdrawn("i-1", Names.AWS_SCHEDULED_MAINTENANCE, NOW)), NOW))
                .isEmpty();
    }

    private static MachineNotice announced(Instant at) {
        return MachineNotice.of("i-1", Names.AWS_SPOT_INTERRUPTION, END.plusSeconds(5), at);
    }

    private static Optional<NodeNotice> read(MachineNotice notice) {
        return NoticeTable.BUILT_IN.read(node(notice), NOW);
    }

    private static Node node(MachineNotice notice) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName("n")
                .addToAnnotations(notice.annotation(), notice.value())
                .endMetadata()
                .build();
    }
}
