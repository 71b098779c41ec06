package dev.trainyard.scaler.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The history of a value, and of pools. */
class TrackTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void restingCostsOneSample() {
        var track = Track.<Integer>empty();
        for (int second = 0; second < 3 * 24 * 3600; second += 10) {
            track = track.with(START.plusSeconds(second), 7);
        }
        assertThat(track.samples()).containsExactly(new Track.Sample<>(START, 7));
    }

    @Test
    void ofOneMinuteTheLastValueIsRemembered() {
        var track = Track.<Integer>empty()
                .with(START, 0)
                .with(at(60), 5)
                .with(at(80), 6)
                .with(at(119), 9);
        assertThat(track.samples()).containsExactly(new Track.Sample<>(START, 0), new Track.Sample<>(at(60), 9));
        assertThat(track.with(at(119), 0).samples()).containsExactly(new Track.Sample<>(START, 0));
    }

    @Test
    void whatHeldADayAgoIsTheFirstSample() {
        var track = Track.<Integer>empty().with(START, 1).with(at(3600), 2).with(at(24 * 3600), 3);
        assertThat(values(track)).containsExactly(1, 2, 3);
        assertThat(values(track.with(at(25 * 3600), 4))).containsExactly(2, 3, 4);
        assertThat(values(track.with(at(72 * 3600), 5))).containsExactly(4 - 1, 5);
    }

    @Test
    void aValueThatNeverRestsTakesNoMoreMemoryThanThat() {
        var track = Track.<Integer>empty();
        for (int second = 0; second < 48 * 3600; second += 20) {
            track = track.with(at(second), second);
        }
        assertThat(track.samples()).hasSize(Track.MOST);
        assertThat(track.samples().get(0).from()).isAfter(at(48 * 3600 - 60 * (Track.MOST + 2)));
    }

    @Test
    void aClockThatIsSetBackTakesBackWhatIsYetToCome() {
        var track = Track.<Integer>empty().with(START, 1).with(at(3600), 2).with(at(7200), 3);
        assertThat(track.with(at(3660), 3).samples())
                .containsExactly(
                        new Track.Sample<>(START, 1), new Track.Sample<>(at(3600), 2), new Track.Sample<>(at(3660), 3));
        var before = track.with(START.minusSeconds(86_400), 7).with(START.minusSeconds(86_000), 8);
        assertThat(before.samples())
                .containsExactly(
                        new Track.Sample<>(START.minusSeconds(86_400), 7),
                        new Track.Sample<>(START.minusSeconds(86_000), 8));
        assertThat(track.with(at(7199), 3).samples()).last().isEqualTo(new Track.Sample<>(at(7199), 3));
    }

    @Test
    void whatNobodyHasSeenForTooLongIsNotKnown() {
        var history = RoundHistory.none(Duration.ofMinutes(2))
                .with(START, standing(pool("a", "1.50")))
                .with(at(60), standing(pool("a", "1.50")));
        assertThat(history.until(at(180))).isEqualTo(history);
        assertThat(history.until(at(181)).pools().get("a").samples())
                .containsExactly(
                        new Track.Sample<>(START, new RoundHistory.Size(2, 2, 0)),
                        new Track.Sample<>(at(180), RoundHistory.Size.UNKNOWN));
        assertThat(history.until(at(181)).totals().samples())
                .last()
                .isEqualTo(new Track.Sample<>(at(180), RoundHistory.Total.UNKNOWN));

        var again = history.with(at(600), standing(pool("a", "1.50")));
        assertThat(again.pools().get("a").samples())
                .extracting(Track.Sample::value)
                .containsExactly(
                        new RoundHistory.Size(2, 2, 0), RoundHistory.Size.UNKNOWN, new RoundHistory.Size(2, 2, 0));
        assertThat(again.pools().get("a").samples())
                .extracting(Track.Sample::from)
                .containsExactly(START, at(180), at(600));
    }

    @Test
    void aPoolThatIsNotThereAnyMoreIsForgotten() {
        var history = RoundHistory.none(Duration.ofMinutes(2))
                .with(START, standing(pool("a", "1.50"), pool("b", null)))
                .with(at(120), standing(pool("b", "2.25")));
        assertThat(history.pools()).containsOnlyKeys("b");
        assertThat(history.totals().samples())
                .extracting(sample -> String.valueOf(sample.value().costPerHour()))
                .containsExactly("1.50", "2.25");
    }

    private static Instant at(long seconds) {
        return START.plus(Duration.ofSeconds(seconds));
    }

    private static List<Integer> values(Track<Integer> track) {
        return track.samples().stream().map(Track.Sample::value).toList();
    }

    private static ClusterStatus standing(PoolLine... pools) {
        return new ClusterStatus(START.toString(), Stream.of(pools).toList(), List.of(), List.of(), List.of());
    }

    private static PoolLine pool(String name, String cost) {
        return new PoolLine(name, "spot", 0, 10, 2, 2, 0, 0, cost, null, null, null);
    }
}
