package dev.trainyard.scaler.ledger;

import static dev.trainyard.scaler.Objects.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReliabilityTest {

    private static final Instant TOMORROW = NOON.plus(Duration.ofDays(1));
    private static final Offset<Double> EXACT = within(1e-5);
    private static final Duration RECLAIM = Duration.ofMinutes(13);
    private static final Duration LAUNCH = Duration.ofMinutes(3);

    @Test
    void machineHoursAreTheIntegralOfTheDecay() {
        var later = Reliability.NONE.with(2, 0, NOON).with(3, 0, TOMORROW);

        assertThat(later.machineHours()).isCloseTo(2 * 24 / Math.log(2) / 2, EXACT);
        assertThat(later.machines()).isEqualTo(3);
        assertThat(later.at()).isEqualTo(TOMORROW);
    }

    @Test
    void manyChangesGiveTheSameHoursAsOne() {
        var often = Reliability.NONE.with(2, 0, NOON);
        for (int minute = 1; minute <= 24 * 60; minute++) {
            often = often.with(2 + minute % 2, 0, NOON.plusSeconds(60L * minute));
        }
        var seldom = Reliability.NONE.with(2, 0, NOON).with(3, 0, TOMORROW);

        assertThat(often.machineHours()).isCloseTo(seldom.machineHours() * 1.25, within(0.02));
    }

    @Test
    void timeAloneChangesNothing() {
        var known = Reliability.NONE.with(2, 1, NOON);

        assertThat(known.with(2, 0, TOMORROW)).isSameAs(known);
        assertThat(known.asOf(TOMORROW)).isSameAs(known);
        assertThat(Reliability.NONE.with(0, 0, NOON)).isSameAs(Reliability.NONE);
    }

    @Test
    void aReclaimCountsHalfAfterADay() {
        var known = Reliability.NONE.with(0, 4, NOON).with(0, 1, TOMORROW);

        assertThat(known.reclaims()).isCloseTo(3, EXACT);
    }

    @Test
    void aClockThatIsSetBackGivesNoNegativeHoursAndIsNotWaitedFor() {
        var known = Reliability.NONE.with(2, 1, TOMORROW);
        var back = known.asOf(NOON);

        assertThat(known.with(3, 0, NOON).machineHours()).isZero();
        assertThat(back).isEqualTo(new Reliability(NOON, 2, 0, 1, 0));
        assertThat(back.with(0, 0, NOON.plusSeconds(3600)).machineHours()).isCloseTo(2, within(0.05));
    }

    @Test
    void anyTimeOfTheStatusIsRead() {
        var ancient = new Reliability(Instant.MIN, 500, 1e9, 1e9, 1e9);

        assertThat(ancient.with(0, 0, NOON).machineHours()).isCloseTo(500 * 24 / Math.log(2), EXACT);
        assertThat(ancient.with(0, 0, NOON).reclaims()).isZero();
        assertThat(ancient.asOf(NOON).lostShare(RECLAIM, LAUNCH, NOON)).isZero();
    }

    @Test
    void aNewPoolLosesNothing() {
        assertThat(Reliability.NONE.lostShare(RECLAIM, LAUNCH, NOON)).isZero();
        assertThat(Reliability.NONE.reclaimsPerMachineDay(NOON)).isZero();
    }

    @Test
    void lostTimeIsDividedByTheMachineHoursAndThoseThatAreCredited() {
        var known = new Reliability(NOON, 0, 36, 4, 2);

        assertThat(known.lostShare(Duration.ofHours(1), Duration.ofMinutes(30), NOON))
                .isEqualTo((4 + 2 * 0.5) / (36 + 24), within(1e-3));
        assertThat(known.reclaimsPerMachineDay(NOON)).isCloseTo(4.0 / 36 * 24, within(0.01));
    }

    @Test
    void aPoolWithoutMachinesBecomesGoodAgain() {
        var known = new Reliability(NOON, 0, 12, 6, 0);

        assertThat(known.lostShare(RECLAIM, LAUNCH, NOON)).isGreaterThan(0.03);
        assertThat(known.lostShare(RECLAIM, LAUNCH, NOON.plus(Duration.ofDays(10))))
                .isZero();
    }

    @ParameterizedTest
    @EnumSource(FailureKind.class)
    void onlyFailuresToDeliverMachinesAreFailedLaunches(FailureKind kind) {
        var ledger = PoolLedger.EMPTY.refused(new Failure(kind, "no", NOON), NOON);
        boolean counts =
                kind == FailureKind.CAPACITY || kind == FailureKind.SPOT_CAPACITY || kind == FailureKind.LAUNCH_TIMEOUT;

        assertThat(ledger.backOff()).isPresent();
        assertThat(ledger.reliability().failedLaunches()).isEqualTo(counts ? 1 : 0);
    }

    @Test
    void aBackOffThatContinuesIsNoFurtherFailedLaunch() {
        var failure = new Failure(FailureKind.SPOT_CAPACITY, "none left", NOON);
        var once = PoolLedger.EMPTY.refused(failure, NOON);

        assertThat(once.failed(List.of(Setback.of(failure)), NOON.plusSeconds(10))
                        .reliability())
                .isEqualTo(once.reliability());
    }
}
