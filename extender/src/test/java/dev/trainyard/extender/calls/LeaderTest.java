package dev.trainyard.extender.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class LeaderTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void isTheSchedulerOfOurOwnHost() {
        assertThat(leader("trainyard-scheduler-0_5f3c").isOursAt(NOON)).isTrue();
        assertThat(leader("trainyard-scheduler-1_5f3c").isOursAt(NOON)).isFalse();
        assertThat(leader("trainyard-scheduler-01_5f3c").isOursAt(NOON)).isFalse();
    }

    @Test
    void answersForPodsThatWerePlacedSinceItLeadsOnly() {
        var leader = Leader.of(
                lease("trainyard-scheduler-0_5f3c", NOON.minusSeconds(2), NOON), "trainyard-scheduler-0", NOON);

        assertThat(leader.isOursAt(NOON))
                .as("may be the work of the one before")
                .isFalse();
        assertThat(leader.isOursAt(NOON.plusSeconds(4))).isTrue();
    }

    @Test
    void isTheOneBesideUsWhereThereIsNoElection() {
        assertThat(Leader.of(null, "host", NOON).isOursAt(NOON)).isTrue();
        assertThat(leader("").isOursAt(NOON)).isTrue();
        var leftOver = lease("other_5f3c", NOON.minusSeconds(600), NOON.minusSeconds(60));
        assertThat(Leader.of(leftOver, "host", NOON).isOursAt(NOON)).isTrue();
    }

    private static Leader leader(String holder) {
        return Leader.of(lease(holder, NOON.minusSeconds(600), NOON), "trainyard-scheduler-0", NOON);
    }

    private static Lease lease(String holder, Instant acquired, Instant renewed) {
        return new LeaseBuilder()
                .withNewSpec()
                .withHolderIdentity(holder)
                .withLeaseDurationSeconds(15)
                .withAcquireTime(acquired.atZone(ZoneOffset.UTC))
                .withRenewTime(renewed.atZone(ZoneOffset.UTC))
                .endSpec()
                .build();
    }
}
