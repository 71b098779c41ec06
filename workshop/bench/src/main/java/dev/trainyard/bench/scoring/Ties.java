package dev.trainyard.bench.scoring;

/** The tie-break between machines of equal score. */
public enum Ties {
    /** A random one, as in kube-scheduler. */
    RANDOM,
    /** The first by name, as in the simulator of the FGD publication. */
    NAME
}
