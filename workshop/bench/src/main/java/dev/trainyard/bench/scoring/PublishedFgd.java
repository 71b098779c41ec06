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
 * Fragmentation gradient descent as it was published (Weng et al., USENIX ATC'23): the machine, and on it the device, where the pod makes
 * the least free GPU useless for the pods that are typical. In 101 levels, so with many ties. An oracle: it takes the typical pods from
 * the very trace that is replayed.
 */
final class PublishedFgd implements NodeScore {

    /** How much of the pods typical ones must cover. */
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
        // Hash order must not matter where counts are equal.
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

    /** Knows that a single shape is all there ever is. */
    static PublishedFgd knowingOnly(TraceShape shape) {
        return new PublishedFgd(
                Collections.singletonList(new Typical(Kind.of(shape).shape(), 1)));
    }

    @Override
    public int of(Machine machine, TraceShape pod) {
        double change = before(machine) - after(machine, pod, devices(machine, pod));
        return (int) (100 / (1 + Math.exp(-change / TraceShape.WHOLE)));
    }

    /** For a share the device with the best gradient; whole GPUs are all alike. */
    @Override
    public int[] devices(Machine machine, TraceShape pod) {
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

    /** Thousandths of GPUs that are free on the machine and of no use, as expected over the typical pods. */
    double before(Machine machine) {
        return fragment(machine.node().model(), machine.freeCpuMilli(), machine.devices());
    }

    private double after(Machine machine, TraceShape pod, int[] devices) {
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

    private static boolean isLikeAnEarlierOne(Machine machine, int device) {
        for (int earlier = 0; earlier < device; earlier++) {
            if (machine.freeMilli(earlier) == machine.freeMilli(device)) {
                return true;
            }
        }
        return false;
    }
}
