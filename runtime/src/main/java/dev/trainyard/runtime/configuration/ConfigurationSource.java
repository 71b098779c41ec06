package dev.trainyard.runtime.configuration;

import dev.trainyard.core.catalogue.Catalogue;

/** Where pools, tiers and the settings of the cluster come from. Thread-safe. */
public interface ConfigurationSource extends AutoCloseable {

    /** The configuration as last seen; immutable. Costs a field read: fit for a request path. */
    Catalogue current();

    /** Whether {@link #current()} is complete: false until all objects were seen once. */
    boolean isComplete();

    /** Runs {@code listener} after each change, on a thread of the source; it must not block. */
    void onChange(Runnable listener);

    @Override
    void close();
}
