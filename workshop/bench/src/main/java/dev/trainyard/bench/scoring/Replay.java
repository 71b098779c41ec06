package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.Arrivals;
import dev.trainyard.bench.scoring.trace.GpuSize;
import dev.trainyard.bench.scoring.trace.Trace;
import dev.trainyard.bench.scoring.trace.TraceNode;
import dev.trainyard.bench.scoring.trace.TraceShape;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * A replay of a trace. Pods arrive one by one, are placed as by kube-scheduler, and stay. A pod without a machine is dropped. An object
 * serves a single run on one thread.
 */
final class Replay {

    private static final int DIGITS = 3;

    private final Arrivals arrivals;
    private final Sampling sampling;
    private final TraceMachine[] machines;
    private final Winner winner;
    private final long capacityMilli;

    private final int[] candidates;
    private int nextStart;
    private long takenMilli;
    private long placements;

    Replay(Trace trace, Arrivals arrivals, Ties ties, Sampling sampling) {
        this.arrivals = arrivals;
        this.sampling = sampling;
        this.capacityMilli = trace.capacityMilli();
        this.machines = trace.nodes().stream().map(TraceMachine::new).toArray(TraceMachine[]::new);
        this.winner = new Winner(ties, arrivals.seed(), ranks(trace.nodes()));
        this.candidates = new int[machines.length];
    }

    TraceMachine[] machines() {
        return machines.clone();
    }

    Winner winner() {
        return winner;
    }

    ScoringOutcome run(Function<Replay, Placer> by) {
        try (var placer = by.apply(this)) {
            return run(placer);
        }
    }

    private ScoringOutcome run(Placer placer) {
        var arrived = new HashMap<GpuSize, Integer>();
        var unplaced = new HashMap<GpuSize, Integer>();
        var decisions = new Histogram(DIGITS);
        long asked = 0;
        double atFull = Double.NaN;
        for (int pod = 0; pod < arrivals.pods().size(); pod++) {
            var shape = arrivals.pods().get(pod);
            placer.arrived(pod, shape);
            count(arrived, shape);
            if (!place(pod, shape, placer, decisions)) {
                count(unplaced, shape);
            }
            asked += shape.totalMilli();
            if (Double.isNaN(atFull) && asked >= capacityMilli) {
                atFull = allocated();
            }
        }
        return new ScoringOutcome(atFull, allocated(), arrived, unplaced, decisions, placements);
    }

    private boolean place(int pod, TraceShape shape, Placer placer, Histogram decisions) {
        int count = findCandidates(shape);
        int machine = -1;
        if (count > 0) {
            long started = System.nanoTime();
            machine = placer.choose(pod, shape, candidates, count);
            decisions.recordValue(System.nanoTime() - started);
        }
        placements = placements * 31 + machine;
        if (machine < 0) {
            return false;
        }
        var devices = placer.devices(machine, shape);
        machines[machine].take(shape, devices);
        takenMilli += shape.totalMilli();
        placer.bound(pod, shape, machine, devices);
        return true;
    }

    /**
     * Finds candidates like kube-scheduler. The search starts where the last search ended and wraps around. The search stops when there are
     * enough candidates.
     */
    private int findCandidates(TraceShape shape) {
        int enough = sampling.of(machines.length);
        int count = 0;
        int seen = 0;
        for (; seen < machines.length && count < enough; seen++) {
            int machine = (nextStart + seen) % machines.length;
            if (machines[machine].fits(shape)) {
                candidates[count++] = machine;
            }
        }
        nextStart = (nextStart + seen) % machines.length;
        return count;
    }

    private double allocated() {
        return 100.0 * takenMilli / capacityMilli;
    }

    private static void count(Map<GpuSize, Integer> counts, TraceShape shape) {
        counts.merge(shape.size(), 1, Integer::sum);
    }

    private static int[] ranks(List<TraceNode> nodes) {
        var order = IntStream.range(0, nodes.size())
                .boxed()
                .sorted(Comparator.comparing(place -> nodes.get(place).name()))
                .toList();
        var ranks = new int[nodes.size()];
        Arrays.setAll(ranks, order::indexOf);
        return ranks;
    }
}
