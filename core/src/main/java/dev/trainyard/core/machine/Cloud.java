package dev.trainyard.core.machine;

import dev.trainyard.core.api.ProviderSpec;
import java.util.Optional;

/** The cloud that a machine belongs to. */
public enum Cloud {
    AZURE("Azure"),
    AWS("AWS");

    private final String word;

    Cloud(String word) {
        this.word = word;
    }

    /** Returns the cloud of a pool's machines; empty if they are simulated. */
    public static Optional<Cloud> of(ProviderSpec provider) {
        if (provider.azureScaleSet() != null || provider.azureVirtualMachines() != null) {
            return Optional.of(AZURE);
        }
        return provider.awsAutoScalingGroup() == null ? Optional.empty() : Optional.of(AWS);
    }

    /** Returns the name as people write it. */
    @Override
    public String toString() {
        return word;
    }
}
