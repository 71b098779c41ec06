package dev.trainyard.scaler.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BudgetTest {

    private long nanos = 17;
    private final Budget budget = new Budget(2, 3, () -> nanos);

    @Test
    void allowsABurstAndThenItsRate() {
        for (int i = 0; i < 3; i++) {
            assertThat(take()).isZero();
        }
        assertThat(take()).isEqualTo(Duration.ofMillis(500));
        assertThat(take()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void fillsAgainButNeverHigherThanItsBurst() {
        for (int i = 0; i < 3; i++) {
            take();
        }
        nanos += Duration.ofHours(1).toNanos();
        for (int i = 0; i < 3; i++) {
            assertThat(take()).isZero();
        }
        assertThat(take()).isPositive();
    }

    @Test
    void takesWhatIsThereAndNoMore() {
        assertThat(budget.takeWhatIsThere(2)).isEqualTo(2);
        assertThat(budget.takeWhatIsThere(2)).isEqualTo(1);
        assertThat(budget.takeWhatIsThere(2)).isZero();
        assertThat(take()).isEqualTo(Duration.ofMillis(500));
        assertThat(budget.takeWhatIsThere(2)).as("owing one").isZero();
        nanos += Duration.ofMillis(1500).toNanos();
        assertThat(budget.takeWhatIsThere(5)).isEqualTo(2);
    }

    @Test
    void takesNothingForACallThatWouldHaveToWaitTooLong() {
        for (int i = 0; i < 3; i++) {
            take();
        }
        assertThat(budget.take(Duration.ofMillis(499))).isEmpty();
        assertThat(budget.take(Duration.ofMillis(500))).contains(Duration.ofMillis(500));
    }

    @Test
    void isEmptyWhenTheApiSaysSo() {
        budget.exhaust();
        assertThat(take()).isEqualTo(Duration.ofMillis(500));
    }

    private Duration take() {
        return budget.take(Duration.ofMinutes(1)).orElseThrow();
    }
}
