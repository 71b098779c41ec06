package dev.trainyard.workshop.demo;

/** What kind of cluster the demo is played in. */
public enum Reality {
    /** On a control plane, or not at all. */
    REAL,
    /** On a control plane, or simulated where none can be had. */
    REAL_IF_POSSIBLE,
    SIMULATED
}
