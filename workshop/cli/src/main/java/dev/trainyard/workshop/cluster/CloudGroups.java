package dev.trainyard.workshop.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.CloudEmulator;

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
}
