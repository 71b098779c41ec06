package dev.trainyard.simulation.cluster;

import java.util.Optional;

/**
 * The state of an object that a user created.
 *
 * @param kind such as {@code Job}
 * @param succeeded pods of a Job that succeeded
 * @param failed pods of a Job that failed or were lost
 * @param ended how a Job ended: {@code Complete} or {@code Failed}; empty if it has not ended
 */
public record OwnerState(
        String kind, String namespace, String name, int succeeded, int failed, Optional<String> ended) {}
