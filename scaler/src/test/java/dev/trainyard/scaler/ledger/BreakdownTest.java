package dev.trainyard.scaler.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BreakdownTest {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @Test
    void reportsSizeThatBreaksAgainAndAgainWithItsZone() {
        var two = broke(broke(NodeHistory.NONE, "a", "eu-1a"), "b", "eu-1b");
        var three = broke(two, "c", "eu-1a");

        assertThat(two.repeatedBreakdowns(4, NOW)).isEmpty();
        assertThat(three.repeatedBreakdowns(4, NOW))
                .containsExactly("3 machines of size p4d broke within 24h, 2 of them in zone eu-1a: a, b, c");
    }

    @Test
    void namesNoZoneIfTheBreakdownsAreSpread() {
        var spread = broke(broke(broke(broke(NodeHistory.NONE, "a", "x"), "b", "x"), "c", "y"), "d", "y");

        assertThat(spread.repeatedBreakdowns(4, NOW))
                .containsExactly("4 machines of size p4d broke within 24h: a, b, c, d");
    }

    @Test
    void reportsNothingIfFewMachinesOfLargePoolBreak() {
        var three = broke(broke(broke(NodeHistory.NONE, "a", "x"), "b", "x"), "c", "x");

        assertThat(three.repeatedBreakdowns(60, NOW)).hasSize(1);
        assertThat(three.repeatedBreakdowns(61, NOW)).isEmpty();
    }

    @Test
    void countsEachBreakdownForADay() {
        var twice = broke(broke(NodeHistory.NONE, "a", "x"), "a", "x");
        var later = NOW.plus(Duration.ofHours(24));

        assertThat(twice.broken()).hasSize(1);
        assertThat(twice.recentBreakdowns(later)).isEmpty();
    }

    @Test
    void forgetsOldBreakdownsOnlyWithNewOne() {
        var known = broke(NodeHistory.NONE, "a", "x");
        var later = NOW.plus(Duration.ofHours(24));
        var other = Map.of("b", new Breakdown(later, "p4d", "x"));

        assertThat(known.sick(Map.of(), later)).isSameAs(known);
        assertThat(known.sick(other, later.minusSeconds(1)).broken()).containsOnlyKeys("a", "b");
        assertThat(known.sick(other, later).broken()).containsOnlyKeys("b");
    }

    @Test
    void countsMachineOnceThatIsSickForDays() {
        var later = NOW.plus(Duration.ofHours(30));
        var known = broke(NodeHistory.NONE, "a", "x");
        var more = known.sick(Map.of("a", breakdown("x"), "b", new Breakdown(later, "p4d", "x")), later);

        assertThat(more.breakdownsSince(known)).isEqualTo(1);
        assertThat(more.sick(Map.of("a", breakdown("x")), later).breakdownsSince(more))
                .isZero();
    }

    @Test
    void countsMachineAgainThatBreaksOnceMore() {
        var later = NOW.plus(Duration.ofHours(1));
        var known = broke(NodeHistory.NONE, "a", "x");
        var again = known.sick(Map.of("a", new Breakdown(later, "p4d", "x")), later);

        assertThat(again.breakdownsSince(known)).isEqualTo(1);
        assertThat(again.broken().get("a").at()).isEqualTo(later);
    }

    @Test
    void forgetsTheOldestOfManyBreakdowns() {
        var history = NodeHistory.NONE;
        for (int i = 0; i < 102; i++) {
            var at = NOW.plusSeconds(i);
            history = history.sick(Map.of("m" + i, new Breakdown(at, "p4d", "x")), at);
        }

        assertThat(history.broken()).hasSize(100).doesNotContainKeys("m0", "m1").containsKey("m2");
    }

    private static NodeHistory broke(NodeHistory history, String machine, String zone) {
        return history.sick(Map.of(machine, breakdown(zone)), NOW);
    }

    private static Breakdown breakdown(String zone) {
        return new Breakdown(NOW, "p4d", zone);
    }
}
