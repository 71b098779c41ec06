package dev.trainyard.workshop.cluster;

import java.util.Locale;

/** What the machines of a yard's pools are, or pretend to be. */
public enum Cloud {
    /** Provider {@code kwok}: a cloud in a ConfigMap, in the scaler itself. */
    KWOK,
    /** Auto Scaling groups: the scaler's AWS SDK speaks with an emulator of AWS. */
    AWS,
    /** Scale sets: the scaler's Azure SDK speaks with an emulator of Azure Resource Manager. */
    AZURE;

    /** As users name it: {@code aws}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
