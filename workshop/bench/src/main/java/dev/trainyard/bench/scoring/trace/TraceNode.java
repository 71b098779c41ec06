package dev.trainyard.bench.scoring.trace;

/**
 * A machine of a trace.
 *
 * @param model of its GPUs; empty for a machine without
 */
public record TraceNode(String name, long cpuMilli, long memoryMib, int gpus, String model) {}
