package dev.trainyard.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.simulation.fault.Fault;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests with a few seeds; {@code ./trainyard bench chaos} runs any number. */
class ChaosTest {

    /** The seeds in which deliberately broken rules are detected: 1 to 14, and {@link #OTHERS} ({@code docs/chaos.md} has the table). */
    private static final int FIRST = Integer.getInteger("trainyard.seeds", 14);

    /** The number of seeds that every build runs. The full profile runs the others. */
    private static final int FEW = 3;

    private static final List<Long> OTHERS = List.of(17L, 18L, 21L, 31L, 44L, 45L, 103L, 90_027L, 90_503L, 90_879L);

    /** The seeds in which broken rules are detected by one kind of fault alone. */
    private static final Map<Fault, Long> ALONE =
            Map.of(Fault.DRAIN, 2L, Fault.FOREIGN_NODE, 1L, Fault.HANG, 1L, Fault.LATE_TAINT, 5L, Fault.SPOT_STORM, 1L);

    @Test
    void nothingBreaksWhenEverythingGoesWrong() {
        assertNothingBreaks(1, FEW);
    }

    @Test
    @Tag("slow")
    void nothingBreaksInMoreClusters() {
        assertNothingBreaks(1 + FEW, FIRST - FEW);
    }

    private static void assertNothingBreaks(long first, int seeds) {
        var report = Chaos.run(first, seeds, EnumSet.allOf(Fault.class), 2, ended -> {});

        assertThat(report.failure()).isNull();
        assertThat(report.rounds()).isGreaterThan(seeds * 1000L);
    }

    @Test
    @Tag("slow")
    void nothingBreaksInClustersInWhichBrokenRulesAreNoticed() {
        assertThat(OTHERS.parallelStream().map(seed -> Trial.run(seed, EnumSet.allOf(Fault.class))))
                .allSatisfy(result -> assertThat(result.failure()).isEmpty());
    }

    @Test
    @Tag("slow")
    void nothingBreaksByOneKindOfFaultAlone() {
        assertThat(Stream.of(Fault.values())
                        .parallel()
                        .map(fault -> Trial.run(ALONE.getOrDefault(fault, 1000L), EnumSet.of(fault))))
                .allSatisfy(result -> assertThat(result.failure()).isEmpty());
    }

    /** The whole timeline is the same, even if another trial runs in parallel. */
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

    @Test
    void whatBreaksIsToldWithItsSeedTheFewestFaultsAndWhatHappenedBefore() {
        var report = Chaos.run(1, 5, EnumSet.allOf(Fault.class), 2, ended -> {}, ChaosTest::breaking);

        assertThat(report.failure())
                .isEqualTo(new Chaos.Failure(
                        3, EnumSet.of(Fault.KILL, Fault.CLOUD), "size", 61.5, "too many", List.of("before")));
        assertThat(report.rounds()).isEqualTo(30);
    }

    /** Returns a result in which seed 3 fails: with two kinds of faults together "size" breaks, with one of them alone "quiet". */
    private static Trial.Result breaking(long seed, Set<Fault> faults) {
        boolean kills = faults.contains(Fault.KILL);
        var invariant = kills && faults.contains(Fault.CLOUD) ? "size" : "quiet";
        Optional<Trial.Failure> failure = seed == 3 && kills
                ? Optional.of(new Trial.Failure(invariant, Duration.ofMillis(61_500), "too many", List.of("before")))
                : Optional.empty();
        return new Trial.Result(seed, EnumSet.copyOf(faults), 10, 0, failure);
    }

    @Test
    void aTrialThatFailsByItselfIsToldWithItsSeed() {
        assertThatThrownBy(() -> Chaos.run(1, 5, EnumSet.of(Fault.API), 2, ended -> {}, (seed, faults) -> {
                    if (seed == 2) {
                        throw new IllegalStateException("no node");
                    }
                    return breaking(seed, faults);
                }))
                .hasMessageContaining("the trial of seed 2 failed without a fault")
                .hasMessageContaining("no node");
    }
}
