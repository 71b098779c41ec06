package dev.trainyard.extender.score;

import dev.trainyard.extender.workload.TypicalWorkload;

/** The scoring policies that an operator can choose. */
public enum PolicyName {
    /** Keeps GPUs usable for most of the typical pods. */
    FRAGMENTATION,
    /** Prefers full nodes. */
    PACK,
    /** Prefers empty nodes. */
    SPREAD;

    /** Whether the policy depends on the typical workload. */
    public boolean learns() {
        return this == FRAGMENTATION;
    }

    /** Returns the policy for a typical workload. */
    public ScorePolicy with(TypicalWorkload workload) {
        return switch (this) {
            case FRAGMENTATION -> new Fragmentation(workload);
            case PACK -> new Pack();
            case SPREAD -> new Spread();
        };
    }
}
