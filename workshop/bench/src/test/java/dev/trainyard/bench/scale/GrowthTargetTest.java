package dev.trainyard.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.bench.scale.GrowthTarget.Verdict;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrowthTargetTest {

    @ParameterizedTest
    @CsvSource({
        "   0,    0,     FLAT",
        "0.25,    0,     FLAT",
        " 0.1, 0.07,     FLAT",
        "-0.1, 0.07,     FLAT",
        // The range of twice the error reaches beyond the limit, on either side.
        " 0.1, 0.08,     NOT_DECIDED",
        "-0.1, 0.08,     NOT_DECIDED",
        " 0.3, 0.02,     GROWING",
        " 0.3, 0.03,     NOT_DECIDED",
        "   9,    5,     NOT_DECIDED",
        // The memory still shrinks: a smaller leak would not show.
        "  -4,    0,     NOT_DECIDED",
        "  -4,    3,     NOT_DECIDED"
    })
    void decidesOnlyIfTwiceTheErrorLeavesOneVerdict(double growth, double error, Verdict verdict) {
        assertThat(GrowthTarget.of("heap", new Trend(40, 40, growth, error), 0.25)
                        .verdict())
                .isEqualTo(verdict);
    }

    @Test
    void aLeakIsNotFlatWhileAnotherPartOfTheHeapShrinksFaster() {
        var trend = Trend.of(IntStream.range(0, 100)
                .mapToObj(i -> new Trend.Point(15 * i, 40 + 0.5 * 15 * i / 1000 - 4 * 15 * i / 1000.0))
                .toList());

        var target = GrowthTarget.of("heap", trend, 0.25);

        assertThat(target.verdict()).isEqualTo(Verdict.NOT_DECIDED);
        assertThat(target.line()).endsWith("-3.5        0     0.25  not decided");
    }
}
