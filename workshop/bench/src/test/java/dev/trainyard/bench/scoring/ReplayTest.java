package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.bench.scoring.trace.Arrivals;
import dev.trainyard.bench.scoring.trace.GpuSize;
import dev.trainyard.bench.scoring.trace.Trace;
import dev.trainyard.bench.scoring.trace.TraceNode;
import dev.trainyard.bench.scoring.trace.TracePod;
import dev.trainyard.bench.scoring.trace.TraceShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplayTest {

    private static final TraceShape WHOLE = new TraceShape(1000, 1024, 1, 1000, List.of());

    /** 60 machines of three kinds, and a mix of pods like that of the traces. */
    private static final Trace MIX = mix();

    @Test
    void podsThatFindNoNodeFailAndTheOthersAreCounted() {
        var trace = new Trace("t", nodes(1, 2), List.of());
        var eight = new TraceShape(1000, 1024, 8, 1000, List.of());
        var cpu = new TraceShape(1000, 1024, 0, 0, List.of());
        var half = new TraceShape(1000, 1024, 1, 500, List.of());
        var arrivals = new Arrivals(1, List.of(WHOLE, eight, cpu, WHOLE, half, WHOLE));

        var outcome = replay(trace, arrivals, ResearchPolicies.random(), Ties.RANDOM, Sampling.ALL);

        assertThat(outcome.unplaced()).containsOnly(entry(8, 1), entry(1, 1), Map.entry(half.size(), 1));
        assertThat(outcome.arrived()).containsOnly(entry(8, 1), entry(1, 3), entry(0, 1), Map.entry(half.size(), 1));
        assertThat(outcome.allocatedAtFull())
                .as("when pods had asked for both GPUs: after the large one")
                .isEqualTo(50);
        assertThat(outcome.allocatedAtEnd()).isEqualTo(100);
    }

    @Test
    void equalSeedsGiveEqualReplaysAndTiesDecideOtherwise() {
        var arrivals = Arrivals.of(MIX, 42);

        var once = replay(MIX, arrivals, InTree.mostAllocatedGpu(), Ties.RANDOM, Sampling.ALL);
        var again = replay(MIX, arrivals, InTree.mostAllocatedGpu(), Ties.RANDOM, Sampling.ALL);
        var byName = replay(MIX, arrivals, InTree.mostAllocatedGpu(), Ties.NAME, Sampling.ALL);

        assertThat(once.placements()).isEqualTo(again.placements()).isNotEqualTo(byName.placements());
        assertThat(once.allocatedAtEnd()).isEqualTo(again.allocatedAtEnd());
    }

    @Test
    void rememberedScoresAreThoseOfTheMachineAsItIs() {
        var arrivals = Arrivals.of(MIX, 7);
        var fgd = PublishedFgd.knowing(MIX);

        var remembered = replay(MIX, arrivals, fgd, Ties.RANDOM, Sampling.ALL);
        var afresh = new Replay(MIX, arrivals, Ties.RANDOM, Sampling.ALL).run(replay -> new Placer() {
            @Override
            public int choose(int pod, TraceShape shape, int[] candidates, int count) {
                var winner = replay.winner().start();
                for (int i = 0; i < count; i++) {
                    winner.offer(candidates[i], fgd.of(replay.machines()[candidates[i]], shape));
                }
                return winner.machine();
            }

            @Override
            public int[] devices(int machine, TraceShape shape) {
                return fgd.devices(replay.machines()[machine], shape);
            }
        });

        assertThat(remembered.placements()).isEqualTo(afresh.placements());
    }

    @Test
    void aSampleGoesRoundTheCluster() {
        var trace = new Trace("t", nodes(250, 8), List.of());
        var arrivals = new Arrivals(1, List.of(WHOLE, WHOLE, WHOLE));
        var seen = new ArrayList<List<Integer>>();

        new Replay(trace, arrivals, Ties.RANDOM, new Sampling(1)).run(replay -> new Placer() {
            @Override
            public int choose(int pod, TraceShape shape, int[] candidates, int count) {
                assertThat(count).isEqualTo(100);
                seen.add(List.of(candidates[0], candidates[count - 1]));
                return candidates[0];
            }

            @Override
            public int[] devices(int machine, TraceShape shape) {
                return replay.machines()[machine].bestFittingDevices(shape);
            }
        });

        assertThat(seen).containsExactly(List.of(0, 99), List.of(100, 199), List.of(200, 49));
    }

    @Test
    void tiesAreBrokenEvenlyOrByName() {
        int[] rankByName = {2, 0, 1};
        var random = new Winner(Ties.RANDOM, 1, rankByName);
        var wins = new int[3];
        for (int i = 0; i < 3000; i++) {
            random.start();
            IntStream.range(0, 3).forEach(machine -> random.offer(machine, 5));
            wins[random.machine()]++;
        }
        assertThat(IntStream.of(wins)).allMatch(count -> count > 900 && count < 1100);

        var byName = new Winner(Ties.NAME, 1, rankByName).start();
        byName.offer(0, 5);
        byName.offer(2, 5);
        byName.offer(1, 4);
        assertThat(byName.machine()).isEqualTo(2);
        byName.offer(1, 6);
        assertThat(byName.machine()).isEqualTo(1);
        assertThat(new Winner(Ties.NAME, 1, rankByName).start().machine()).isNegative();
    }

    /** Checks the ranking of the published figures on a small trace: FGD needs ties by name, MostAllocated beats the default and random. */
    @Test
    void policiesRankAsInTheLargeTraces() {
        assertThat(mean(ResearchPolicies.random(), Ties.RANDOM))
                .isLessThan(mean(ResearchPolicies.bestFit(), Ties.RANDOM));
        assertThat(mean(ResearchPolicies.random(), Ties.RANDOM))
                .isLessThan(mean(InTree.mostAllocatedGpu(), Ties.RANDOM));
        assertThat(mean(PublishedFgd.knowing(MIX), Ties.RANDOM)).isLessThan(mean(PublishedFgd.knowing(MIX), Ties.NAME));
    }

    private static double mean(NodeScore score, Ties ties) {
        return IntStream.range(0, 10)
                .mapToDouble(seed -> replay(MIX, Arrivals.of(MIX, seed), score, ties, Sampling.ALL)
                        .allocatedAtEnd())
                .average()
                .orElseThrow();
    }

    private static ScoringOutcome replay(
            Trace trace, Arrivals arrivals, NodeScore score, Ties ties, Sampling sampling) {
        return new Replay(trace, arrivals, ties, sampling)
                .run(replay -> new LocalPlacer(score, replay.machines(), replay.winner()));
    }

    private static Map.Entry<GpuSize, Integer> entry(int gpus, int count) {
        return Map.entry(new GpuSize(gpus, false), count);
    }

    private static List<TraceNode> nodes(int count, int gpus) {
        return IntStream.range(0, count)
                .mapToObj(i -> new TraceNode("node-" + i, 96_000, 393_216, gpus, "T4"))
                .toList();
    }

    private static Trace mix() {
        var random = new Random(1);
        var nodes = new ArrayList<>(nodes(40, 8));
        for (int i = 0; i < 20; i++) {
            nodes.add(new TraceNode("small-" + i, 32_000, 131_072, i % 2 == 0 ? 2 : 4, "P100"));
        }
        var pods = new ArrayList<TracePod>();
        int[] shares = {160, 250, 460, 500, 810};
        for (int i = 0; i < 500; i++) {
            int cpu = 1000 * (2 + random.nextInt(12));
            int dice = random.nextInt(100);
            var shape = dice < 45
                    ? new TraceShape(cpu, 8192, 1, 1000, List.of())
                    : dice < 80
                            ? new TraceShape(cpu, 8192, 1, shares[random.nextInt(shares.length)], List.of())
                            : dice < 94
                                    ? new TraceShape(cpu, 8192, 0, 0, List.of())
                                    : new TraceShape(cpu, 8192, dice < 97 ? 2 : 8, 1000, List.of());
            pods.add(new TracePod("pod-" + i, shape));
        }
        return new Trace("mix", nodes, pods);
    }
}
