package dev.trainyard.simulation.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChanceTest {

    @Test
    void theSameSeedGivesTheSameWhateverElseIsDrawn() {
        var one = new Chance(7);
        var other = new Chance(7);
        other.share();

        assertThat(one.of("cloud").share()).isEqualTo(other.of("cloud").share());
        assertThat(one.of("cloud").share()).isNotEqualTo(one.of("scaler").share());
        assertThat(new Chance(8).of("cloud").share())
                .isNotEqualTo(one.of("cloud").share());
    }

    @Test
    void whatHappensOnceAnHourOnAverageDoes() {
        var chance = new Chance(1);
        double mean = IntStream.range(0, 20_000)
                .mapToDouble(i -> chance.until(Duration.ofHours(1)).toSeconds())
                .average()
                .orElseThrow();

        assertThat(mean).isBetween(3_500.0, 3_700.0);
    }

    @Test
    void staysBetweenTheLeastAndTheMost() {
        var chance = new Chance(1);

        assertThat(IntStream.range(0, 1000).mapToObj(i -> chance.between(Duration.ofSeconds(3), Duration.ofSeconds(5))))
                .allMatch(wait -> wait.toMillis() >= 3000 && wait.toMillis() <= 5000)
                .anyMatch(wait -> wait.toMillis() < 3100)
                .anyMatch(wait -> wait.toMillis() > 4900);
    }
}
