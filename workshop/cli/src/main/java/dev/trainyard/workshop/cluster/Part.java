package dev.trainyard.workshop.cluster;

import java.util.Locale;

/** A part of Trainyard that runs as a process of its own. */
public enum Part {
    WEBHOOK,
    EXTENDER,
    SCALER;

    /** The name of its command: {@code webhook}. */
    public String command() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The ServiceAccount whose rights it runs with: that of its pods, which the extender shares with the scheduler. */
    String serviceAccount() {
        return this == EXTENDER ? Yard.TRAINYARD_SCHEDULER : "trainyard-" + command();
    }
}
