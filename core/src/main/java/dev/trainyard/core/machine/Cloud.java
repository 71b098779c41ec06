package dev.trainyard.core.machine;

import dev.trainyard.core.api.ProviderSpec;
import java.util.Optional;

/** Whose machine it is. */
public enum Cloud {
    AZURE("Azure"),
    AWS("AWS");

    private final String word;

    Cloud(String word) {
        this.word = word;
    }

    /** Whose machines a pool has; empty for those that are simulated. */
    public static Optional<Cloud> of(ProviderSpec provider) {
        if (provider.azureScaleSet() != null || provider.azureVirtualMachines() != null) {
            return Optional.of(AZURE);
        }
        return provider.awsAutoScalingGroup() == null ? Optional.empty() : Optional.of(AWS);
    }

    /** As people write it. */
    @Override
    public String toString() {
        return word;
    }
}
