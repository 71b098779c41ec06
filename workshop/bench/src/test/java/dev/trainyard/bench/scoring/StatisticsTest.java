package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StatisticsTest {

    @Test
    void meanAndDeviationOfASample() {
        double[] values = {2, 4, 4, 4, 5, 5, 7, 9};

        assertThat(Statistics.mean(values)).isEqualTo(5);
        assertThat(Statistics.deviation(values)).isEqualTo(Math.sqrt(32.0 / 7), within(1e-12));
        assertThat(Statistics.deviation(new double[] {3})).isZero();
    }

    @Test
    void differencesArePaired() {
        assertThat(Statistics.differences(new double[] {5, 3}, new double[] {1, 4}))
                .containsExactly(4, -1);
    }

    @Test
    void signTestIsTwoSided() {
        assertThat(Statistics.signTest(10, 0)).isEqualTo(2.0 / 1024, within(1e-12));
        assertThat(Statistics.signTest(1, 9)).isEqualTo(2.0 * 11 / 1024, within(1e-12));
        assertThat(Statistics.signTest(5, 5)).isEqualTo(1);
        assertThat(Statistics.signTest(0, 0)).isEqualTo(1);
    }
}
