package dev.trainyard.bench.scoring.trace;

import java.util.List;

/**
 * What a pod of a trace asks for. Pods of equal shape are placed alike.
 *
 * @param gpus how many devices, 0 for a pod of CPUs only
 * @param gpuMilli thousandths of each device: {@value #WHOLE} are a whole one; 0 when {@code gpus} is 0
 * @param models GPU models that will do; empty: any
 */
public record TraceShape(long cpuMilli, long memoryMib, int gpus, int gpuMilli, List<String> models) {

    /** Thousandths of a GPU that make a whole one. */
    public static final int WHOLE = 1000;

    private static final int MANY = 8;

    public TraceShape {
        models = List.copyOf(models);
    }

    /** Thousandths of GPUs in all. */
    public long totalMilli() {
        return (long) gpus * gpuMilli;
    }

    /** Whether it asks for a part of one GPU. */
    public boolean isShare() {
        return gpus == 1 && gpuMilli < WHOLE;
    }

    /** Whether a node with GPUs of that model will do; a pod without GPUs takes any node. */
    public boolean accepts(String model) {
        return models.isEmpty() || gpus == 0 || models.contains(model);
    }

    public PodKind kind() {
        if (gpus == 0) {
            return PodKind.CPU;
        }
        if (isShare()) {
            return PodKind.SHARE;
        }
        return gpus == 1 ? PodKind.ONE_GPU : gpus < MANY ? PodKind.SEVERAL_GPUS : PodKind.EIGHT_GPUS;
    }
}
