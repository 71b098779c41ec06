package dev.trainyard.core.fit;

/** A counter of pods by topology domain. Not thread-safe. */
interface Counter {

    /** Adds a number of pods at a site; removes pods if the number is negative. */
    void add(Site site, int pods);
}
