package dev.trainyard.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.trainyard.bench.scale.Trend.Point;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TrendTest {

    @Test
    void isExactForValuesOnALine() {
        var trend =
                Trend.of(List.of(new Point(1000, 50), new Point(2000, 50.5), new Point(3000, 51), new Point(5000, 52)));

        assertThat(trend.from()).isCloseTo(50, within(1e-9));
        assertThat(trend.to()).isCloseTo(52, within(1e-9));
        assertThat(trend.perThousand()).isCloseTo(0.5, within(1e-9));
        assertThat(trend.error()).isCloseTo(0, within(1e-9));
    }

    @Test
    void seesALeakThroughWavesFarLargerThanIt() {
        var trend = Trend.of(IntStream.range(0, 100)
                .mapToObj(i -> new Point(200 * i, 80 + 0.5 * 200 * i / 1000 + 5 * Math.sin(i)))
                .toList());

        assertThat(trend.perThousand()).isCloseTo(0.5, within(3 * trend.error()));
        assertThat(trend.error()).isBetween(0.03, 0.08);
    }

    @Test
    void refusesValuesThatDetermineNoLine() {
        assertThatThrownBy(() -> Trend.of(List.of(new Point(1, 1), new Point(2, 2))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Trend.of(List.of(new Point(1, 1), new Point(1, 2), new Point(1, 3))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
