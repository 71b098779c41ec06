package dev.trainyard.bench.scoring.trace;

/**
 * A machine of a trace.
 *
 * @param model model of the machine's GPUs; empty if the machine has no GPUs
 */
public record TraceNode(String name, long cpuMilli, long memoryMib, int gpus, String model) {}
