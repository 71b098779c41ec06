package dev.trainyard.simulation.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A few seeds of each kind; {@code ./trainyard bench chaos} tries as many as one likes. */
class ChaosTest {

    private static final int SEEDS = Integer.getInteger("trainyard.seeds", 20);

    @Test
    void nothingBreaksWhenEverythingGoesWrong() {
        var report = Chaos.run(1, SEEDS, EnumSet.allOf(Fault.class), 2, ended -> {});

        assertThat(report.failure()).isNull();
        assertThat(report.rounds()).isGreaterThan(SEEDS * 1000L);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void nothingBreaksBy(Fault fault) {
        assertThat(Chaos.run(1000, 3, EnumSet.of(fault), 2, ended -> {}).failure())
                .isNull();
    }

    /** The timeline, byte for byte, also beside another one. */
    @Test
    void aSeedGivesTheSameAgain() {
        var once = Trial.run(7, EnumSet.allOf(Fault.class));
        var twoAtATime = Stream.of(7, 8)
                .parallel()
                .map(seed -> Trial.run(seed, EnumSet.allOf(Fault.class)))
                .toList();

        assertThat(twoAtATime.get(0)).isEqualTo(once);
        assertThat(twoAtATime.get(1).timeline()).isNotEqualTo(once.timeline());
    }
}
