package dev.trainyard.extender.score;

import static dev.trainyard.extender.score.Tables.GIBIBYTE;
import static dev.trainyard.extender.score.Tables.demand;
import static dev.trainyard.extender.score.Tables.gpus;
import static dev.trainyard.extender.score.Tables.pods;
import static dev.trainyard.extender.score.Tables.room;
import static dev.trainyard.extender.score.Tables.workload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.extender.gpu.GpuRoom;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.TypicalWorkload;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FuturesTest {

    private static final String EIGHT = "1000 1000 1000 1000 1000 1000 1000 1000";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # GPUs left         | cores | pods that come | fragment
            1000 1000 1000 1000 | 8     | 1/1000         | 0
            1000 1000 1000 1000 | 2     | 1/1000         | 2000
            1000 1000 1000      | 8     | 1/2000         | 1000
            1000 1000 1000      | 8     | 1/8000         | 3000
            300 1000            | 8     | 1/500          | 300
            1000                | 8     | 1/300          | 100
            299 500 1000        | 8     | 1/300          | 599
            1000 1000           | 0     | 1/1000         | 2000
            1000 1000           | 0     | 0/1000         | 0
            1000 500            | 8     | 1/0            | 1500
            ''                  | 8     | 1/1000         | 0
            0 0                 | 8     | 1/1000         | 0
            """)
    void theFragmentIsWhatPodsOfOneClassLeave(String gpus, int cores, String pods, double fragment) {
        assertThat(Futures.of(workload(pods(pods))).fragment(room(gpus, cores))).isEqualTo(fragment);
    }

    @Test
    void whenNothingIsKnownOfPodsNoGpuIsOfUse() {
        assertThat(Futures.of(TypicalWorkload.UNKNOWN).fragment(room("200 1000 1000", 8)))
                .isEqualTo(2200);
    }

    @Test
    void memoryCountsAsCpusDo() {
        var room = new Room(GpuKind.UNKNOWN, 64_000, 9 * GIBIBYTE, gpus(EIGHT));

        assertThat(Futures.of(workload(pods("4/1000"))).fragment(room)).isEqualTo(6000);
    }

    @Test
    void podsThatWishForAnotherKindOfGpuAreOfNoUse() {
        var wish = GpuRequirement.of(Map.of("trainyard.dev/gpu-product", "V100"));
        var picky = new PodClass(1000, GIBIBYTE, demand(1000), wish);
        var futures = Futures.of(workload(List.of(picky)));

        assertThat(futures.fragment(ofKind("Tesla-V100-SXM2-16GB"))).isZero();
        assertThat(futures.fragment(ofKind("Tesla-T4"))).isEqualTo(2000);
        assertThat(futures.fragment(room("1000 1000", 8))).isEqualTo(2000);
    }

    @Test
    void podsWithoutAGpuTakeTheCpusThatOthersNeed() {
        var idle = room(EIGHT, 8);
        assertThat(Futures.of(workload(pods("1/1000"))).fragment(idle)).isZero();

        // Pods without a GPU have weight 0.3, that is 0.15 of 0.65. At least 3 of 16 sequences have one at the first
        // place.
        assertThat(Futures.of(workload(pods("1/1000 8/0"))).fragment(idle)).isBetween(1500.0, 7000.0);
    }

    @Test
    void whatIsUsualWeighsMore() {
        var one = pods("1/1000").get(0);
        var eight = pods("1/8000").get(0);
        var begun = room("1000 1000 1000 1000 1000 1000 1000", 64);

        double seldomSmall = Futures.of(weighted(one, 0.05, eight)).fragment(begun);
        double oftenSmall = Futures.of(weighted(one, 0.2, eight)).fragment(begun);
        // Of 20 pods, 1 and 4 are small.
        assertThat(seldomSmall).isCloseTo(6000, within(300.0));
        assertThat(oftenSmall).isCloseTo(3000, within(500.0));
    }

    @Test
    void theSameWorkloadAlwaysGivesTheSameFragment() {
        var workload = workload(pods("1/1000 4/500 2/300 8/0 16/8000"));
        var futures = Futures.of(workload);
        var room = room("200 500 1000 1000 1000 1000", 24);
        double fragment = futures.fragment(room);

        assertThat(futures.fragment(room)).isEqualTo(fragment);
        assertThat(Futures.of(workload).fragment(room)).isEqualTo(fragment).isPositive();
    }

    @Property(seed = "42")
    void theFragmentIsAtMostWhatIsFree(@ForAll("workloads") TypicalWorkload workload, @ForAll("rooms") Room room) {
        assertThat(Futures.of(workload).fragment(room))
                .isBetween(0.0, (double) room.gpus().total());
    }

    @Provide
    Arbitrary<Room> rooms() {
        var gpus = Arbitraries.integers().between(0, 1000).array(int[].class).ofMaxSize(8);
        var cores = Arbitraries.integers().between(0, 96);
        var memory = Arbitraries.integers().between(0, 96);
        return Combinators.combine(gpus, cores, memory)
                .as((left, cpu, gib) -> new Room(GpuKind.UNKNOWN, 1000L * cpu, gib * GIBIBYTE, GpuRoom.left(left)));
    }

    @Provide
    Arbitrary<TypicalWorkload> workloads() {
        var shares = Arbitraries.integers().between(0, 999);
        var whole = Arbitraries.integers().between(1, 8).map(gpus -> 1000 * gpus);
        var pods = Combinators.combine(
                        Arbitraries.integers().between(0, 32),
                        Arbitraries.integers().between(0, 32),
                        Arbitraries.oneOf(shares, whole))
                .as((cpu, gib, milli) -> new PodClass(1000L * cpu, gib * GIBIBYTE, demand(milli), GpuRequirement.NONE));
        return pods.list().ofMaxSize(6).map(Tables::workload);
    }

    private static TypicalWorkload weighted(PodClass one, double share, PodClass other) {
        return new TypicalWorkload(
                List.of(new TypicalWorkload.Typical(one, share), new TypicalWorkload.Typical(other, 1 - share)));
    }

    private static Room ofKind(String product) {
        var kind = new GpuKind(Optional.of(GpuProduct.of(product)), OptionalLong.empty());
        return new Room(kind, 8_000, 8 * GIBIBYTE, gpus("1000 1000"));
    }
}
