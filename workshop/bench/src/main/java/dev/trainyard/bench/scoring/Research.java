package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceShape;

/** Simple policies that FGD was published against (Weng et al., USENIX ATC'23), written from their formulas. */
final class Research {

    private static final double MOST_CPU_MILLI = 128_000;
    private static final double MOST_GPU_MILLI = 8.0 * TraceShape.WHOLE;

    private Research() {}

    /** All machines alike; the tie decides. */
    static NodeScore random() {
        return (machine, pod) -> 0;
    }

    /**
     * The least left over, CPU and GPUs measured against the largest machine, in steps of a hundredth. The published code then stretches
     * scores to 0..100, which changes neither the best nor its ties.
     */
    static NodeScore bestFit() {
        return (machine, pod) -> {
            double cpu = (machine.freeCpuMilli() - pod.cpuMilli()) / MOST_CPU_MILLI;
            double gpu = (machine.freeMilli() - pod.totalMilli()) / MOST_GPU_MILLI;
            return (int) (100 * (1 - 0.5 * cpu - 0.5 * gpu));
        };
    }
}
