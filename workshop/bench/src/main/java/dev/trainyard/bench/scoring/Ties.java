package dev.trainyard.bench.scoring;

/** Who wins among machines of equal score. */
public enum Ties {
    /** Any of them, as in kube-scheduler. */
    RANDOM,
    /** The first by name, as in the simulator that FGD was published with. */
    NAME
}
