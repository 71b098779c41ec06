package dev.trainyard.scaler.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.offline.Standing;
import dev.trainyard.scaler.offline.Standing.PoolLine;
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
    void aPoolThatIsNotThereAnyMoreIsForgotten() {
        var history = History.NONE
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

    private static Standing standing(PoolLine... pools) {
        return new Standing(START.toString(), Stream.of(pools).toList(), List.of(), List.of(), List.of());
    }

    private static PoolLine pool(String name, String cost) {
        return new PoolLine(name, "spot", 0, 10, 2, 2, 0, 0, cost, null, null);
    }
}
