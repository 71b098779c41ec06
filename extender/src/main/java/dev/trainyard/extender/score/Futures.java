package dev.trainyard.extender.score;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.Workload;
import dev.trainyard.extender.workload.Workload.Typical;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What may come: sequences of pods, drawn from the usual workload. A node's room is worth what these pods would use of it; the rest of its
 * GPUs is its fragment. The same workload always gives the same sequences, and all rooms are tried with the same ones, so that differences
 * between them are not luck. Thread-safe.
 */
final class Futures {

    /** More make the average finer; so many make it as good as twice as many do. */
    private static final int SEQUENCES = 16;

    /**
     * Pods in one. In longer ones small pods end up filling every machine, and nothing is seen of what large ones lose; in shorter ones
     * they do not fill a machine with eight GPUs.
     */
    private static final int PODS = 20;

    /** Most pods without a GPU find other machines, so they matter less than their number. */
    private static final double WEIGHT_WITHOUT_GPU = 0.3;

    private static final long SEED = 1;

    /** Forgets everything at so many. */
    private static final int MOST_KNOWN = 100_000;

    private final List<PodClass> classes;
    private final int[][] sequences;
    private final long leastCpu;
    private final int leastMilli;
    private final Map<GpuKind, BitSet> acceptable = new ConcurrentHashMap<>();
    private final Map<Room, Double> fragments = new ConcurrentHashMap<>();

    private Futures(List<PodClass> classes, int[][] sequences) {
        this.classes = classes;
        this.sequences = sequences;
        var withGpu = classes.stream().filter(pod -> !pod.gpus().isNone()).toList();
        this.leastCpu = withGpu.stream().mapToLong(PodClass::cpu).min().orElse(0);
        this.leastMilli =
                withGpu.stream().mapToInt(pod -> pod.gpus().milli()).min().orElse(Integer.MAX_VALUE);
    }

    static Futures of(Workload workload) {
        var classes = workload.typical().stream().map(Typical::pod).toList();
        return new Futures(classes, classes.isEmpty() ? new int[0][] : draw(workload.typical()));
    }

    /** Of all its GPUs, in thousandths, what is expected never to be used. */
    double fragment(Room room) {
        var known = fragments.get(room);
        if (known != null) {
            return known;
        }
        double fragment = room.gpus().total() - used(room);
        if (fragments.size() >= MOST_KNOWN) {
            fragments.clear();
        }
        fragments.put(room, fragment);
        return fragment;
    }

    private double used(Room room) {
        var accepted = acceptable.computeIfAbsent(room.kind(), this::accepting);
        long used = 0;
        for (var sequence : sequences) {
            used += Filling.of(room, leastMilli).with(sequence, classes, accepted, leastCpu);
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

    /** Stratified: each place of the sequences as a whole holds every class as often as its weight says. */
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
