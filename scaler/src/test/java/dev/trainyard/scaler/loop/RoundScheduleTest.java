package dev.trainyard.scaler.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RoundScheduleTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final RoundSchedule pace = new RoundSchedule(Duration.ofSeconds(10), Duration.ofSeconds(1), () -> 1, 0);

    @Test
    void anEventIsLookedAtAfterTheBatchWindow() {
        pace.begun(0);
        pace.happened(2 * SECOND);

        assertThat(pace.next()).isEqualTo(3 * SECOND);
    }

    @Test
    void aBurstPutsARoundOffButNotForEver() {
        pace.begun(0);
        for (int i = 0; i < 9; i++) {
            pace.demanded(i * SECOND);
            assertThat(pace.mayWaitForMore(i * SECOND)).isTrue();
        }

        assertThat(pace.next()).as("at the scan interval").isEqualTo(10 * SECOND);
    }

    @Test
    void aSinglePodWaitsForTheBatchWindowAndNoLonger() {
        pace.begun(0);
        pace.expected(SECOND);
        pace.demanded(SECOND + 1);
        pace.expected(SECOND + 2);

        assertThat(pace.next()).isEqualTo(2 * SECOND + 2);
    }

    @Test
    void podsThatArriveSlowlyMakeTheBatchWindowLonger() {
        var patient = new RoundSchedule(Duration.ofSeconds(100), Duration.ofSeconds(1), () -> 1, 0);
        patient.begun(0);
        for (int i = 0; i < 8; i++) {
            patient.demanded(i * SECOND * 8 / 10);
        }

        assertThat(patient.next()).isEqualTo(56 * SECOND / 10 + 5 * (56 * SECOND / 80));
        patient.begun(20 * SECOND);
        patient.demanded(20 * SECOND);
        assertThat(patient.next()).as("the next batch is another one").isEqualTo(21 * SECOND);
    }

    @Test
    void podsThatArriveForEverPutARoundOffForNoMoreThanFifteenWindows() {
        var patient = new RoundSchedule(Duration.ofSeconds(100), Duration.ofSeconds(1), () -> 1, 0);
        patient.begun(0);
        for (int i = 0; i < 30; i++) {
            patient.demanded(i * SECOND / 2);
        }

        assertThat(patient.next()).isEqualTo(15 * SECOND);
        assertThat(patient.mayWaitForMore(15 * SECOND)).isFalse();
    }

    @Test
    void aRoundThatIsDueAnywayDoesNotWaitForTheEndOfABurst() {
        pace.begun(0);
        pace.demanded(9 * SECOND);

        assertThat(pace.next()).isEqualTo(10 * SECOND);
        assertThat(pace.mayWaitForMore(10 * SECOND)).isFalse();
    }

    @Test
    void nothingHurriesItAfterAFailure() {
        pace.begun(0);
        pace.failed(0);
        pace.failed(0);
        pace.happened(0);

        assertThat(pace.next()).isEqualTo(2 * SECOND);
    }

    @Test
    void whatARoundSaidCountsIfItIsSooner() {
        pace.begun(0);
        pace.ended(SECOND, Duration.ofDays(1_000_000));
        assertThat(pace.next()).isEqualTo(10 * SECOND);

        pace.ended(SECOND, Duration.ofSeconds(2));
        assertThat(pace.next()).isEqualTo(3 * SECOND);
    }
}
