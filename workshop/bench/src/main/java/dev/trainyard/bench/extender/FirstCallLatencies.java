package dev.trainyard.bench.extender;

/**
 * Latencies of the first calls to new processes, right after they reported ready, in microseconds.
 *
 * @param names number of nodes in each choose or filter call
 * @param calls number of calls of this verb to the extender, and also to the floor, a minimal extender for comparison
 */
public record FirstCallLatencies(
        int names, Verb verb, long calls, double p50, double floorP50, double slowest, double floorSlowest) {}
