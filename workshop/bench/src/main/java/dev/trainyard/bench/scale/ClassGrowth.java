package dev.trainyard.bench.scale;

/** The growth of all live objects of a class. */
public record ClassGrowth(String name, long bytes) {}
