package dev.trainyard.bench.load;

/**
 * One request of a series.
 *
 * @param kind under which its latency is counted
 * @param request head and body, as they go over the wire
 */
public record Call(String kind, byte[] request) {}
