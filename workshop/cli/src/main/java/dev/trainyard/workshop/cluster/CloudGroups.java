package dev.trainyard.workshop.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.CloudEmulator;

/** An emulated cloud and the resources in it that pools stand for. */
interface CloudGroups {

    CloudEmulator emulator();

    /**
     * Makes an empty group for a pool.
     *
     * @return its name
     */
    String make(Pool pool);

    /** Writes into {@code provider}, which is empty, that a pool is this group. */
    void describe(String group, ObjectNode provider);
}
