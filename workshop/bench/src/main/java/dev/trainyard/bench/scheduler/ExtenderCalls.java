package dev.trainyard.bench.scheduler;

/** The scheduler's calls to the extender in a trial. */
public record ExtenderCalls(Calls filter, Calls prioritize) {}
