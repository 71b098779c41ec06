package dev.trainyard.bench.scheduler;

/**
 * The scheduler's calls to the extender in a trial.
 *
 * @param filter calls of the verb that the scheduler's configuration has as {@code filterVerb}
 * @param prioritize none if the filter always leaves one node
 */
public record ExtenderCalls(Calls filter, Calls prioritize) {}
