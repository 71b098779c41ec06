package dev.trainyard.bench.scheduler;

/** What the scheduler asked of the extender in a trial. */
public record ExtenderCalls(Calls filter, Calls prioritize) {}
