package dev.trainyard.bench.extender;

/**
 * The first calls to processes that have just said that they are ready. Times in microseconds.
 *
 * @param calls of this verb, to each of the two
 */
public record Cold(
        int names, Verb verb, long calls, double p50, double floorP50, double slowest, double floorSlowest) {}
