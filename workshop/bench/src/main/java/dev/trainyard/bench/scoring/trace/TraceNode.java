package dev.trainyard.bench.scoring.trace;

/**
 * A machine of a trace.
 *
 * @param model model of its GPUs; empty if it has none
 */
public record TraceNode(String name, long cpuMilli, long memoryMib, int gpus, String model) {}
