package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SamplingTest {

    @Test
    void looksForAsManyNodesAsKubeSchedulerDoes() {
        var rule = Sampling.parse("default");

        assertThat(rule.of(99)).isEqualTo(99);
        assertThat(rule.of(200)).isEqualTo(100);
        assertThat(rule.of(1000)).isEqualTo(420);
        assertThat(rule.of(1213)).isEqualTo(497);
        assertThat(rule.of(5000)).isEqualTo(500);
        assertThat(rule.of(10_000)).isEqualTo(500);
        assertThat(Sampling.parse("100").of(1213)).isEqualTo(1213);
        assertThat(Sampling.parse("1").of(1213)).isEqualTo(100);
    }

    @Test
    void saysWhatItExpects() {
        for (var wrong : new String[] {"0", "101", "half", ""}) {
            assertThatThrownBy(() -> Sampling.parse(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("--percentage-of-nodes: '%s' is neither a whole number from 1 to 100 nor 'default'"
                            .formatted(wrong));
        }
    }
}
