package dev.trainyard.workshop.cluster;

import java.util.Locale;

/** The cloud of the pools in a {@link TestCluster}, simulated or emulated. */
public enum ChosenCloud {
    /** The provider {@code kwok}: a simulated cloud in the scaler itself, with its state in a ConfigMap. */
    KWOK,
    /** Auto Scaling groups: the scaler's AWS SDK calls an emulator of AWS. */
    AWS,
    /** Scale sets: the scaler's Azure SDK calls an emulator of Azure Resource Manager. */
    AZURE;

    /** Returns the name for users, such as {@code aws}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
