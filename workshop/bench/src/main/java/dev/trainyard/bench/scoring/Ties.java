package dev.trainyard.bench.scoring;

/** The tie-break between machines of equal score. */
public enum Ties {
    /** A random machine, as in kube-scheduler. */
    RANDOM,
    /** The first machine by name, as in the simulator of the FGD publication (Weng et al., USENIX ATC'23). */
    NAME
}
