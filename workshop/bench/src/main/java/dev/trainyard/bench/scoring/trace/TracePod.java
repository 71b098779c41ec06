package dev.trainyard.bench.scoring.trace;

/** A pod of a trace. */
public record TracePod(String name, TraceShape shape) {}
