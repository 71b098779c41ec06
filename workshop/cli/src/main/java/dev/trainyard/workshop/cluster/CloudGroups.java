package dev.trainyard.workshop.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.CloudEmulator;
import java.util.Optional;

/** An emulated cloud and its groups of machines, one per pool. */
interface CloudGroups {

    CloudEmulator emulator();

    /**
     * Creates an empty group for a pool.
     *
     * @return the name of the group
     */
    String make(Pool pool);

    /** Adds a reference to the group to {@code provider}, the empty {@code spec.provider} of a pool. */
    void describe(String group, ObjectNode provider);

    /** Returns the settings of a cluster in this cloud, a TrainingCluster in YAML; empty if the cloud needs none. */
    Optional<String> settings();

    /**
     * Announces the reclaim of a node's machine, as far as the cloud itself does so.
     *
     * @return the command of the cloud's CLI that has the same effect; empty if only agents on nodes announce reclaims
     */
    Optional<String> announceReclaim(String node);
}
