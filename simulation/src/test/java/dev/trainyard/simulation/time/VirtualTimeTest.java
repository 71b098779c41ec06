package dev.trainyard.simulation.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {

    private static final Instant START = Instant.parse("2026-01-05T00:00:00Z");

    private final VirtualTime time = new VirtualTime(START);
    private final ArrayList<String> happened = new ArrayList<>();

    @Test
    void thingsHappenInTheOrderOfTheirTimesAndThenOfTheirPlans() {
        time.after(Duration.ofSeconds(2), () -> happened.add("late"));
        time.after(Duration.ofSeconds(1), () -> happened.add("first"));
        time.after(Duration.ofSeconds(1), () -> happened.add("second"));
        time.after(Duration.ofSeconds(9), () -> happened.add("never"));

        time.passTo(Duration.ofSeconds(5).toNanos());

        assertThat(happened).containsExactly("first", "second", "late");
        assertThat(time.instant()).isEqualTo(START.plusSeconds(5));
    }

    @Test
    void whoWaitsInTheMiddleOfSomethingLetsOtherThingsHappen() {
        time.after(Duration.ofSeconds(1), () -> {
            happened.add("begins");
            time.passTo(Duration.ofSeconds(3).toNanos());
            happened.add("ends at " + time.elapsed().toSeconds());
        });
        time.after(Duration.ofSeconds(2), () -> happened.add("between"));

        time.passTo(Duration.ofSeconds(2).toNanos());

        assertThat(happened).containsExactly("begins", "between", "ends at 3");
        assertThat(time.elapsed()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void settingTheClockOnTheWallChangesNothingElse() {
        time.after(Duration.ofSeconds(10), () -> happened.add("on time"));
        time.setWallClock(Duration.ofHours(-1));

        time.passTo(Duration.ofSeconds(10).toNanos());

        assertThat(happened).containsExactly("on time");
        assertThat(time.instant()).isEqualTo(START.plusSeconds(10).minusSeconds(3600));
    }
}
