package dev.trainyard.core.fit;

/** Counts pods by the part of a topology that they are in. Not thread-safe. */
interface Counter {

    /** So many pods more at that site, or fewer. */
    void add(Site site, int pods);
}
