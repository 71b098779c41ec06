package dev.trainyard.extender.score;

import dev.trainyard.extender.gpu.GpuDemand;
import dev.trainyard.extender.workload.TypicalWorkload;
import dev.trainyard.extender.workload.TypicalWorkload.Typical;
import java.util.List;

/**
 * The capacity of nodes for typical pods with several GPUs. {@link Futures} does not value this capacity, because small pods can use the
 * same GPUs. But small pods can use other nodes too. Immutable.
 */
final class LargePodCapacity {

    private final List<Typical> large;
    private final double shareWithGpu;
    private final int leastGpus;

    private LargePodCapacity(List<Typical> large, double shareWithGpu) {
        this.large = large;
        this.shareWithGpu = shareWithGpu;
        this.leastGpus = large.stream()
                .mapToInt(typical -> typical.pod().gpus().count())
                .min()
                .orElse(Integer.MAX_VALUE);
    }

    static LargePodCapacity of(TypicalWorkload workload) {
        var withGpu = workload.typical().stream()
                .filter(typical -> !typical.pod().gpus().isNone())
                .toList();
        return new LargePodCapacity(
                withGpu.stream()
                        .filter(typical -> typical.pod().gpus().count() > 1)
                        .toList(),
                withGpu.stream().mapToDouble(Typical::share).sum());
    }

    /**
     * Returns how much of a node's free GPUs large pods could use, in thousandths of a GPU. Each class is tried alone. The result is the
     * mean over all pods with a GPU, so it is 0 for pods with one GPU or less.
     */
    double usable(Room room) {
        int whole = room.gpus().countWith(GpuDemand.WHOLE);
        if (whole < leastGpus) {
            return 0;
        }
        double usable = 0;
        for (var typical : large) {
            var pod = typical.pod();
            if (pod.gpus().count() <= whole && pod.wish().isMetBy(room.kind())) {
                long pods = Math.min(
                        whole / pod.gpus().count(),
                        Math.min(times(pod.cpu(), room.cpu()), times(pod.memory(), room.memory())));
                usable += typical.share() * pods * pod.gpus().total();
            }
        }
        return usable / shareWithGpu;
    }

    private static long times(long request, long free) {
        return request == 0 ? Long.MAX_VALUE : free / request;
    }
}
