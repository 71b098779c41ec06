package dev.trainyard.bench.scoring.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.bench.process.BenchException;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private static final List<TraceNode> NODES = List.of(new TraceNode("a", 64_000, 65_536, 8, "T4"));

    /** Eight pods of different size, which request 4,400 of 8,000 thousandths together. */
    private static final Trace TRACE = new Trace(
            "t",
            NODES,
            IntStream.range(2, 10)
                    .mapToObj(i -> new TracePod("p" + i, new TraceShape(i, i, 1, 100 * i, List.of())))
                    .toList());

    @Test
    void equalSeedsGiveEqualOrdersAndOthersDoNot() {
        assertThat(Arrivals.of(TRACE, 42)).isEqualTo(Arrivals.of(TRACE, 42));
        assertThat(Arrivals.of(TRACE, 42).pods())
                .isNotEqualTo(Arrivals.of(TRACE, 43).pods());
    }

    @Test
    void everyPodComesOnceBeforeAnyComesAgainUntilTheyAskForEnough() {
        var pods = Arrivals.of(TRACE, 42).pods();

        assertThat(new HashSet<>(pods.subList(0, 8))).hasSize(8);
        long asked = pods.stream().mapToLong(TraceShape::totalMilli).sum();
        assertThat(asked).isGreaterThanOrEqualTo(10_400);
        assertThat(asked - pods.get(pods.size() - 1).totalMilli()).isLessThan(10_400);
    }

    @Test
    void stopsEarlyWhenTheTraceAsksForMoreThanEnough() {
        var large = new Trace(
                "t",
                NODES,
                IntStream.range(0, 30)
                        .mapToObj(i -> new TracePod("p" + i, new TraceShape(i, 1, 1, 1000, List.of())))
                        .toList());

        assertThat(Arrivals.of(large, 1).pods()).hasSize(11).doesNotHaveDuplicates();
    }

    @Test
    void digestTellsExperimentsApart() {
        var digest = Arrivals.digest(TRACE, List.of(Arrivals.of(TRACE, 42)));

        assertThat(digest).isEqualTo("114e5cbea3434cd3e22290a547a6572fd17655283c39ca44da79166142ea343e");
        assertThat(Arrivals.digest(TRACE, List.of(Arrivals.of(TRACE, 43)))).isNotEqualTo(digest);
        assertThat(Arrivals.digest(
                        new Trace("t", List.of(new TraceNode("a", 1, 1, 8, "T4")), TRACE.pods()),
                        List.of(Arrivals.of(TRACE, 42))))
                .isNotEqualTo(digest);
    }

    @Test
    void refusesPodsThatNeverFillTheGpus() {
        var cpuOnly = new Trace("t", NODES, List.of(new TracePod("a", new TraceShape(1000, 1024, 0, 0, List.of()))));

        assertThatThrownBy(() -> Arrivals.of(cpuOnly, 42))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("no remaining pod requests GPUs");
    }
}
