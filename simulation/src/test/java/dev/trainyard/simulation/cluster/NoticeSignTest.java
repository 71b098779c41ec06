package dev.trainyard.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.node.NoticeTable;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the product reads the simulated signs as the simulation means them. */
class NoticeSignTest {

    private static final Instant NOW = Instant.parse("2026-01-05T10:00:00Z");
    private static final Duration LEAD = Duration.ofMinutes(4);

    private final Node plain = new NodeBuilder()
            .withNewMetadata()
            .withName("spot-1")
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .endStatus()
            .build();

    @ParameterizedTest
    @EnumSource
    void productReadsTheMeaningAndTheDeadline(NoticeSign sign) {
        var signed = sign.put(plain, NOW, LEAD);

        var notice = NoticeTable.BUILT_IN.read(signed, NOW).orElseThrow();

        assertThat(NoticeSign.reclaims(signed)).hasSize(NoticeSign.RECLAIMS.contains(sign) ? 1 : 0);
        assertThat(notice.isReclaim()).isEqualTo(NoticeSign.RECLAIMS.contains(sign));
        if (notice.isReclaim()) {
            assertThat(notice.deadline()).isEqualTo(sign.deadline(signed, NOW));
        } else {
            assertThat(notice.kind()).isEqualTo(NodeNotice.Kind.CHECKPOINT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nodeWithoutTheSignHasNoNotice(NoticeSign sign) {
        var signed = sign.put(sign.put(plain, NOW, LEAD), NOW, LEAD);

        assertThat(sign.isOn(signed)).isTrue();
        assertThat(NoticeTable.BUILT_IN.read(sign.without(signed), NOW)).isEmpty();
        assertThat(sign.isOn(sign.without(signed))).isFalse();
    }
}
