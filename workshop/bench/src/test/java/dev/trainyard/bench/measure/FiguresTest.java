package dev.trainyard.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.trainyard.bench.load.Load;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class FiguresTest {

    @Test
    void theMedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(Figures.median(5, 1, 100)).isEqualTo(5);
        assertThat(Figures.median(4, 1, 2, 100)).isEqualTo(3);
        assertThatThrownBy(Figures::median).hasMessage("the median of nothing");
    }

    @Test
    void oneRoundThatWasDisturbedDoesNotCount() {
        var figures = Figures.of(List.of(round(1000, 100, 500), round(10, 9000, 900), round(1100, 100, 550)));

        assertThat(figures.requestsPerSecond()).isEqualTo(1000);
        assertThat(figures.cpu()).isEqualTo(500);
        assertThat(figures.p50()).isCloseTo(100, within(1.0));
        assertThat(figures.p999()).isCloseTo(9000, within(10.0));
        assertThat(figures.busy()).isEqualTo(0.55);
    }

    @Test
    void ratiosAreTakenWithinARoundAndThenTheirMedian() {
        // The machine slows down over time. In each round the webhook has half the floor's throughput.
        var floor = List.of(round(1000, 100, 100), round(500, 200, 100), round(100, 1000, 100));
        var webhook = List.of(round(500, 200, 100), round(250, 400, 100), round(50, 2000, 100));

        var rounds = new Rounds(ReferenceServer.FLOOR, webhook, floor);

        assertThat(rounds.ratio(round -> round.load().requestsPerSecond())).isEqualTo(0.5);
        assertThat(rounds.ratio(MeasuredRound::cpuPerRequest)).isEqualTo(2);
        assertThat(rounds.ratio(MeasuredRound::p99)).isCloseTo(2, within(0.01));
    }

    @Test
    void aServerIsWarmWhenItNoLongerGetsMuchFaster() {
        var warmth = new WarmUpDetector(Duration.ofMinutes(1));
        for (int requests : new int[] {100, 200, 300, 301, 290, 310}) {
            warmth.add(round(requests, 1, 1).load());
            assertThat(warmth.isReached()).isFalse();
        }
        warmth.add(round(305, 1, 1).load());
        assertThat(warmth.isReached()).isTrue();
    }

    @Test
    void oneThatGetsFasterForeverIsNotWaitedForForever() {
        var warmth = new WarmUpDetector(Duration.ofSeconds(3));
        for (int second = 1; second <= 3; second++) {
            assertThat(warmth.isReached()).isFalse();
            warmth.add(round(1000 << second, 1, 1).load());
        }
        assertThat(warmth.isReached()).isTrue();
    }

    /** Returns a round of one second in which all requests took the same time. */
    private static MeasuredRound round(int requests, long micros, long cpuMillis) {
        var latencies = new Histogram(3);
        latencies.recordValueWithCount(micros * 1000, requests);
        return new MeasuredRound(new Load(1_000_000_000, Map.of("", latencies)), Duration.ofMillis(cpuMillis));
    }
}
