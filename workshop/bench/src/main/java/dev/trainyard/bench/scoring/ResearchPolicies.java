package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceShape;

/** The simple policies in the evaluation of FGD (Weng et al., USENIX ATC'23), written from their formulas. */
final class ResearchPolicies {

    private static final double MOST_CPU_MILLI = 128_000;
    private static final double MOST_GPU_MILLI = 8.0 * TraceShape.WHOLE;

    private ResearchPolicies() {}

    /** Returns equal scores for all machines, so that the tie-break decides. */
    static NodeScore random() {
        return (machine, pod) -> 0;
    }

    /**
     * Returns a score that prefers the machine with the least free resources after placement, in steps of a hundredth. CPU and GPUs are
     * relative to the largest machine. The published code then stretches scores to 0..100, which changes neither the order nor the ties.
     */
    static NodeScore bestFit() {
        return (machine, pod) -> {
            double cpu = (machine.freeCpuMilli() - pod.cpuMilli()) / MOST_CPU_MILLI;
            double gpu = (machine.freeMilli() - pod.totalMilli()) / MOST_GPU_MILLI;
            return (int) (100 * (1 - 0.5 * cpu - 0.5 * gpu));
        };
    }
}
