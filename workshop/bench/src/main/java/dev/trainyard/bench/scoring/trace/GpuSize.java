package dev.trainyard.bench.scoring.trace;

import java.util.Comparator;

/**
 * The size of a pod in GPUs. For each size, the benchmark counts the pods that found no machine. Sizes are ordered: no GPU, a share of a
 * GPU, then numbers of whole GPUs.
 *
 * @param shared whether the pod requests a part of one GPU
 */
public record GpuSize(int gpus, boolean shared) implements Comparable<GpuSize> {

    private static final Comparator<GpuSize> ORDER =
            Comparator.comparingInt(GpuSize::gpus).thenComparing(size -> !size.shared());

    /** Returns {@code shared} or the number of GPUs. */
    public String word() {
        return shared ? "shared" : Integer.toString(gpus);
    }

    @Override
    public int compareTo(GpuSize other) {
        return ORDER.compare(this, other);
    }
}
