package dev.trainyard.scaler.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class DecisionsTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void theLatestComesFirstAndTheOldestGo() {
        var decisions = Decisions.NONE;
        for (int i = 0; i < Decisions.MOST + 5; i++) {
            decisions = decisions.with(START.plusSeconds(i), "Node", "n" + i, false, "Removed", "gone");
        }
        assertThat(decisions.latest()).hasSize(Decisions.MOST);
        assertThat(decisions.latest().get(0).name()).isEqualTo("n" + (Decisions.MOST + 4));
    }

    @Test
    void whatIsSaidAgainSoonIsCounted() {
        var once = Decisions.NONE.with(START, "TrainingPool", "a", true, "Invalid", "no promise");
        var later = once.with(START.plusSeconds(10), "TrainingPool", "a", true, "Invalid", "no promise")
                .with(START.plusSeconds(20), "TrainingPool", "a", true, "Invalid", "no promise");
        assertThat(later.latest()).singleElement().satisfies(decision -> {
            assertThat(decision.times()).isEqualTo(3);
            assertThat(decision.at()).isEqualTo(START);
            assertThat(decision.lastAt()).isEqualTo(START.plusSeconds(20));
        });
        assertThat(later.with(START.plusSeconds(20 + 600), "TrainingPool", "a", true, "Invalid", "no promise")
                        .latest())
                .hasSize(2);
    }

    @Test
    void aClockThatIsSetBackMakesNothingLastBeforeItBegan() {
        var once = Decisions.NONE.with(START, "TrainingPool", "a", true, "Invalid", "no promise");
        var little = once.with(START.minusSeconds(5), "TrainingPool", "a", true, "Invalid", "no promise");
        assertThat(little.latest()).singleElement().satisfies(decision -> {
            assertThat(decision.times()).isEqualTo(2);
            assertThat(decision.at()).isEqualTo(START.minusSeconds(5));
            assertThat(decision.lastAt()).isEqualTo(START.minusSeconds(5));
        });
        assertThat(once.with(START.minusSeconds(7200), "TrainingPool", "a", true, "Invalid", "no promise")
                        .latest())
                .hasSize(2);
    }

    @Test
    void whatACloudSaysAtLengthIsCut() {
        var decisions = Decisions.NONE.with(START, "TrainingPool", "a", true, "BackOff", "x".repeat(10_000));
        assertThat(decisions.latest().get(0).message()).hasSize(500).endsWith("...");
    }
}
