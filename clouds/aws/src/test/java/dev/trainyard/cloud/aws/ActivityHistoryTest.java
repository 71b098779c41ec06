package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ActivityHistoryTest {

    private static final Instant NOON = Objects.NOON;
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void anHourIsLookedBackAndNoMore() {
        assertThat(ActivityHistory.EMPTY.from(NOON)).isEqualTo(NOON.minus(HOUR));
        var old = activity("1", NOON.minus(HOUR).minusSeconds(1), true);
        var recent = activity("2", NOON.minus(HOUR).plusSeconds(1), true);
        var history = ActivityHistory.EMPTY.with(List.of(old, recent), NOON);
        assertThat(history.activities().values()).containsExactly(recent);
        assertThat(history.with(List.of(), NOON.plusSeconds(2)).activities()).isEmpty();
        assertThat(history.from(NOON.plusSeconds(2)))
                .isEqualTo(NOON.plusSeconds(2).minus(HOUR));
    }

    @Test
    void whatIsKnownIsNotReadAgainUnlessItMayHaveChanged() {
        var over = activity("1", NOON.minusSeconds(300), true);
        var later = activity("2", NOON.minusSeconds(100), true);
        assertThat(ActivityHistory.EMPTY.with(List.of(over, later), NOON).from(NOON))
                .isEqualTo(later.start());
        var open = activity("3", NOON.minusSeconds(600), false);
        assertThat(ActivityHistory.EMPTY.with(List.of(over, later, open), NOON).from(NOON))
                .isEqualTo(open.start());
    }

    @Test
    void whoOrderedIsReadFromTheCause() {
        assertThat(
                        cause(
                                "At 2026-01-01T11:00:00Z a user request update of AutoScalingGroup constraints to min: 0, max: 5,"
                                        + " desired: 5 changing the desired capacity from 0 to 5.  At 2026-01-01T11:00:09Z an instance was started in"
                                        + " response to a difference between desired and actual capacity, increasing the capacity from 0 to 5."))
                .contains(NOON.minus(HOUR));
        assertThat(cause(
                        "At 2026-01-01T11:00:00Z a user request explicitly set group desired capacity changing the desired"
                                + " capacity from 5 to 3."))
                .isEmpty();
        assertThat(cause(
                        "At 2026-01-01T11:00:09Z an instance was started in response to a difference between desired and actual"
                                + " capacity, increasing the capacity from 0 to 5."))
                .isEmpty();
        assertThat(cause("At midnight somebody was changing the desired capacity from 0 to 5."))
                .isEmpty();
    }

    private static Optional<Instant> cause(String words) {
        return new Activity("1", "Launching", "Failed", "", words, NOON, Optional.of(NOON)).ordered();
    }

    private static Activity activity(String id, Instant start, boolean over) {
        return new Activity(
                id,
                "Launching",
                over ? "Failed" : "InProgress",
                "",
                "",
                start,
                over ? Optional.of(start) : Optional.empty());
    }
}
