package dev.trainyard.bench.extender;

import dev.trainyard.bench.measure.ReferenceServer;

/**
 * Latencies of the first calls to new processes, right after they reported ready, in microseconds.
 *
 * @param names number of nodes in each choose or filter call
 * @param calls number of calls of this verb to the extender, and also to the baseline
 */
public record FirstCallLatencies(
        ReferenceServer beside,
        int names,
        Verb verb,
        long calls,
        double p50,
        double baselineP50,
        double slowest,
        double baselineSlowest) {}
