package dev.trainyard.extender.score;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.TypicalWorkload;
import dev.trainyard.extender.workload.TypicalWorkload.Typical;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Possible futures of a node: sequences of pods, drawn from the typical workload. The fragment of a node is the part of its free GPUs that
 * a sequence leaves unused on average. Equal workloads give equal sequences, and all nodes are tried with the same sequences, so that
 * chance causes no differences. Thread-safe.
 */
final class Futures {

    /** The number of sequences. More sequences make the average more exact, but twice as many give no better placements. */
    private static final int SEQUENCES = 16;

    /**
     * The number of pods in a sequence. In longer sequences, small pods fill every machine in the end, which hides the loss for large pods.
     * Shorter sequences do not fill a machine with eight GPUs.
     */
    private static final int PODS = 20;

    /**
     * The weight of a pod without a GPU; a pod with a GPU has weight 1. Most pods without a GPU find other machines, so they matter less.
     */
    private static final double WEIGHT_WITHOUT_GPU = 0.3;

    private static final long SEED = 1;

    private final List<PodClass> classes;
    private final int[][] sequences;
    private final long leastCpu;
    private final int leastMilli;
    private final Map<GpuKind, BitSet> acceptable = new ConcurrentHashMap<>();

    private Futures(List<PodClass> classes, int[][] sequences) {
        this.classes = classes;
        this.sequences = sequences;
        var withGpu = classes.stream().filter(pod -> !pod.gpus().isNone()).toList();
        this.leastCpu = withGpu.stream().mapToLong(PodClass::cpu).min().orElse(0);
        this.leastMilli =
                withGpu.stream().mapToInt(pod -> pod.gpus().milli()).min().orElse(Integer.MAX_VALUE);
    }

    static Futures of(TypicalWorkload workload) {
        var classes = workload.typical().stream().map(Typical::pod).toList();
        return new Futures(classes, classes.isEmpty() ? new int[0][] : draw(workload.typical()));
    }

    /** Returns how much of a node's free GPUs is expected to stay unused, in thousandths of a GPU. */
    double fragment(Room room) {
        return room.gpus().total() - used(room);
    }

    private double used(Room room) {
        var accepted = acceptable.computeIfAbsent(room.kind(), this::accepting);
        long used = 0;
        for (var sequence : sequences) {
            used += RoomFiller.of(room, leastMilli).with(sequence, classes, accepted, leastCpu);
        }
        return sequences.length == 0 ? 0 : (double) used / sequences.length;
    }

    private BitSet accepting(GpuKind kind) {
        var accepted = new BitSet();
        for (int i = 0; i < classes.size(); i++) {
            var pod = classes.get(i);
            accepted.set(i, pod.gpus().isNone() || pod.wish().isMetBy(kind));
        }
        return accepted;
    }

    /** Draws stratified sequences: at each position, the share of each class among all sequences is close to the class's weight. */
    private static int[][] draw(List<Typical> typical) {
        var cumulated = new double[typical.size()];
        double sum = 0;
        for (int i = 0; i < cumulated.length; i++) {
            var pod = typical.get(i);
            sum += pod.share() * (pod.pod().gpus().isNone() ? WEIGHT_WITHOUT_GPU : 1);
            cumulated[i] = sum;
        }
        var random = new Random(SEED);
        var sequences = new int[SEQUENCES][PODS];
        for (int place = 0; place < PODS; place++) {
            var drawn = new ArrayList<Integer>(SEQUENCES);
            for (int stratum = 0; stratum < SEQUENCES; stratum++) {
                drawn.add(find(cumulated, sum * (stratum + random.nextDouble()) / SEQUENCES));
            }
            Collections.shuffle(drawn, random);
            for (int sequence = 0; sequence < SEQUENCES; sequence++) {
                sequences[sequence][place] = drawn.get(sequence);
            }
        }
        return sequences;
    }

    private static int find(double[] cumulated, double value) {
        int i = 0;
        while (i < cumulated.length - 1 && cumulated[i] < value) {
            i++;
        }
        return i;
    }
}
