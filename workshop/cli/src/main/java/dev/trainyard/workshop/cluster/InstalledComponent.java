package dev.trainyard.workshop.cluster;

import java.util.Locale;

/** A component of Trainyard, which runs as a separate process. */
public enum InstalledComponent {
    WEBHOOK,
    EXTENDER,
    SCALER;

    /** Returns the name of the component's command, such as {@code webhook}. */
    public String command() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the ServiceAccount of the component's pods, whose rights it has. The extender shares that of the scheduler. */
    String serviceAccount() {
        return this == EXTENDER ? TestCluster.TRAINYARD_SCHEDULER : "trainyard-" + command();
    }
}
