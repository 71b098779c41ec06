package dev.trainyard.simulation.cluster;

import java.util.Optional;

/**
 * How something stands that users created.
 *
 * @param kind such as {@code Job}
 * @param succeeded pods of a Job that ran to their end
 * @param failed pods of a Job that failed, or were lost
 * @param ended how a Job is over: {@code Complete} or {@code Failed}; empty while it is not
 */
public record Owned(String kind, String namespace, String name, int succeeded, int failed, Optional<String> ended) {}
