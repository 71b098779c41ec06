package dev.trainyard.workshop.demo;

/** The kind of cluster in which the demo runs. */
public enum Reality {
    /** A real control plane; the demo fails if none is available. */
    REAL,
    /** A real control plane; the demo is simulated if none is available. */
    REAL_IF_POSSIBLE,
    SIMULATED
}
