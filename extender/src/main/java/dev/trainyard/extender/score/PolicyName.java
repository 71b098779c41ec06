package dev.trainyard.extender.score;

import dev.trainyard.extender.workload.Workload;

/** The policies that an operator can choose among. */
public enum PolicyName {
    /** Leaves GPUs such that most of the pods that are usually asked for could still have them. */
    FRAGMENTATION,
    /** Fills nodes up. */
    PACK,
    /** Uses all nodes alike. */
    SPREAD;

    /** Whether it makes a difference to it what pods usually ask for. */
    public boolean learns() {
        return this == FRAGMENTATION;
    }

    /** The policy, for pods that are usually like this. */
    public ScorePolicy with(Workload workload) {
        return switch (this) {
            case FRAGMENTATION -> new Fragmentation(workload);
            case PACK -> new Pack();
            case SPREAD -> new Spread();
        };
    }
}
