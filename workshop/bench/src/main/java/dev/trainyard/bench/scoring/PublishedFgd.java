package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.Trace;
import dev.trainyard.bench.scoring.trace.TracePod;
import dev.trainyard.bench.scoring.trace.TraceShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Fragmentation gradient descent as published (Weng et al., USENIX ATC'23). It chooses the machine and device where the pod adds least to
 * the free GPUs that typical pods cannot use. Scores have 101 levels, so ties are frequent. The policy is an oracle, because its typical
 * pods come from the replayed trace itself.
 */
final class PublishedFgd implements NodeScore {

    /**
     * The share of the trace's pods that must have a typical shape. The most frequent shapes become typical until this share is reached.
     */
    private static final double COVERED = 0.95;

    private record Typical(TraceShape shape, double share) {}

    private record Kind(long cpuMilli, int gpus, int gpuMilli, List<String> models) {
        static Kind of(TraceShape pod) {
            return new Kind(pod.cpuMilli(), pod.gpus(), pod.gpuMilli(), pod.models());
        }

        TraceShape shape() {
            return new TraceShape(cpuMilli, 0, gpus, gpuMilli, models);
        }
    }

    private final Typical[] typical;

    private PublishedFgd(List<Typical> typical) {
        this.typical = typical.toArray(Typical[]::new);
    }

    static PublishedFgd knowing(Trace trace) {
        var counts = trace.pods().stream()
                .map(TracePod::shape)
                .collect(Collectors.groupingBy(Kind::of, Collectors.counting()));
        var kinds = new ArrayList<>(counts.keySet());
        // The second key makes the result independent of the hash order of equal counts.
        kinds.sort(Comparator.<Kind>comparingLong(kind -> -counts.getOrDefault(kind, 0L))
                .thenComparing(Kind::toString));
        double enough = COVERED * trace.pods().size();
        var chosen = new ArrayList<Kind>();
        long covered = 0;
        for (var kind : kinds) {
            if (covered >= enough) {
                break;
            }
            chosen.add(kind);
            covered += counts.getOrDefault(kind, 0L);
        }
        double all = covered;
        return new PublishedFgd(chosen.stream()
                .map(kind -> new Typical(kind.shape(), counts.getOrDefault(kind, 0L) / all))
                .toList());
    }

    /** Returns a policy with a single typical shape. */
    static PublishedFgd knowingOnly(TraceShape shape) {
        return new PublishedFgd(
                Collections.singletonList(new Typical(Kind.of(shape).shape(), 1)));
    }

    @Override
    public int of(TraceMachine machine, TraceShape pod) {
        double change = before(machine) - after(machine, pod, devices(machine, pod));
        return (int) (100 / (1 + Math.exp(-change / TraceShape.WHOLE)));
    }

    /**
     * Returns the device on which a pod with a share of a GPU leaves the least unusable GPUs. For whole GPUs, all unused devices are equal.
     */
    @Override
    public int[] devices(TraceMachine machine, TraceShape pod) {
        if (!pod.isShare()) {
            return machine.bestFittingDevices(pod);
        }
        int best = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int device = 0; device < machine.node().gpus(); device++) {
            if (machine.freeMilli(device) >= pod.gpuMilli() && !isLikeAnEarlierOne(machine, device)) {
                double fragment = after(machine, pod, new int[] {device});
                if (best < 0 || fragment < least) {
                    best = device;
                    least = fragment;
                }
            }
        }
        return new int[] {best};
    }

    /** Returns the expected number of free but unusable thousandths of GPUs on the machine, over the typical pods. */
    double before(TraceMachine machine) {
        return fragment(machine.node().model(), machine.freeCpuMilli(), machine.devices());
    }

    private double after(TraceMachine machine, TraceShape pod, int[] devices) {
        var free = machine.devices();
        for (int device : devices) {
            free[device] -= pod.gpuMilli();
        }
        return fragment(machine.node().model(), machine.freeCpuMilli() - pod.cpuMilli(), free);
    }

    private double fragment(String model, long freeCpuMilli, int[] freeMilli) {
        double expected = 0;
        for (var kind : typical) {
            expected += kind.share() * fragment(kind.shape(), model, freeCpuMilli, freeMilli);
        }
        return expected;
    }

    private static int fragment(TraceShape pod, String model, long freeCpuMilli, int[] freeMilli) {
        int all = 0;
        int tooSmall = 0;
        int devices = 0;
        for (int free : freeMilli) {
            all += free;
            if (free < pod.gpuMilli()) {
                tooSmall += free;
            } else {
                devices++;
            }
        }
        boolean canRun =
                pod.gpus() > 0 && pod.cpuMilli() <= freeCpuMilli && devices >= pod.gpus() && pod.accepts(model);
        return canRun ? tooSmall : all;
    }

    private static boolean isLikeAnEarlierOne(TraceMachine machine, int device) {
        for (int earlier = 0; earlier < device; earlier++) {
            if (machine.freeMilli(earlier) == machine.freeMilli(device)) {
                return true;
            }
        }
        return false;
    }
}
