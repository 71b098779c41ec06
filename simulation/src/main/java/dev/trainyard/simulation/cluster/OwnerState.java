package dev.trainyard.simulation.cluster;

import java.util.Optional;

/**
 * The state of a workload object that a user created, such as a Job.
 *
 * @param kind the Kubernetes kind, such as {@code Job}
 * @param succeeded pods of a Job that succeeded
 * @param failed pods of a Job that failed or were lost
 * @param ended how a Job ended: {@code Complete} or {@code Failed}; empty if it has not ended
 */
public record OwnerState(
        String kind, String namespace, String name, int succeeded, int failed, Optional<String> ended) {}
