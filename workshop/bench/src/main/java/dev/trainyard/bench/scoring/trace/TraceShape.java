package dev.trainyard.bench.scoring.trace;

import java.util.List;

/**
 * The requests of a pod of a trace. A policy does not distinguish pods of equal shape.
 *
 * @param gpus number of GPUs; 0 for a CPU-only pod
 * @param gpuMilli thousandths of each GPU, {@value #WHOLE} for whole GPUs; 0 if {@code gpus} is 0
 * @param models accepted GPU models; empty if any model is accepted
 */
public record TraceShape(long cpuMilli, long memoryMib, int gpus, int gpuMilli, List<String> models) {

    /** The thousandths of a whole GPU. */
    public static final int WHOLE = 1000;

    public TraceShape {
        models = List.copyOf(models);
    }

    /** Returns the thousandths of all requested GPUs together. */
    public long totalMilli() {
        return (long) gpus * gpuMilli;
    }

    /** Whether the pod requests a part of one GPU. */
    public boolean isShare() {
        return gpus == 1 && gpuMilli < WHOLE;
    }

    /** Whether the pod accepts a node with this GPU model; a pod without GPUs accepts any node. */
    public boolean accepts(String model) {
        return models.isEmpty() || gpus == 0 || models.contains(model);
    }

    public GpuSize size() {
        return new GpuSize(gpus, isShare());
    }
}
