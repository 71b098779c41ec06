package dev.trainyard.runtime.configuration;

import dev.trainyard.core.catalogue.Catalogue;

/** A source of pools, tiers and the settings of the cluster. Thread-safe. */
public interface ConfigurationSource extends AutoCloseable {

    /** Returns the latest configuration; immutable. The call only reads a field, so it is cheap enough for every request. */
    Catalogue current();

    /**
     * Whether {@link #current()} is complete: false until all pools and tiers have been read once. The settings of the cluster must also
     * have been read, unless an attempt to read them has failed.
     */
    boolean isComplete();

    /** Runs {@code listener} after each change, on a thread of the source. The listener must not block. */
    void onChange(Runnable listener);

    @Override
    void close();
}
