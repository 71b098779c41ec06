package dev.trainyard.workshop.cluster;

import java.util.Locale;

/** A component of Trainyard, which runs as a separate process. */
public enum InstalledComponent {
    WEBHOOK(256),
    EXTENDER(512),
    SCALER(512);

    private final int heapMebibytes;

    InstalledComponent(int heapMebibytes) {
        this.heapMebibytes = heapMebibytes;
    }

    /** Returns the largest size of the heap, half of the memory limit in {@code manifests/base}. */
    int heapMebibytes() {
        return heapMebibytes;
    }

    /** Returns the name of the component's command, such as {@code webhook}. */
    public String command() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the ServiceAccount whose rights the component has. The extender shares the ServiceAccount of Trainyard's scheduler. */
    String serviceAccount() {
        return this == EXTENDER ? TestCluster.TRAINYARD_SCHEDULER : "trainyard-" + command();
    }
}
