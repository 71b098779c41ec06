package dev.trainyard.bench.load;

/**
 * One request of a series.
 *
 * @param kind kind under which the latency is recorded
 * @param request head and body, as sent over the wire
 */
public record Call(String kind, byte[] request) {}
