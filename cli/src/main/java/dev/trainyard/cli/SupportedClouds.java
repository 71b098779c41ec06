package dev.trainyard.cli;

import dev.trainyard.cloud.aws.AwsModule;
import dev.trainyard.cloud.azure.AzureModule;
import dev.trainyard.scaler.provider.CloudModule;
import dev.trainyard.scaler.provider.CloudProvider;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The clouds of this executable. */
final class SupportedClouds {

    /** Besides kwok's simulated machines, which the scaler itself has. */
    static final List<CloudModule> ALL = List.of(new AwsModule(), new AzureModule());

    private SupportedClouds() {}

    /** Returns providers that change nothing when they read, by the field of {@code spec.provider} that selects them. */
    static Map<String, CloudProvider> open(Clock clock) {
        var providers = new HashMap<String, CloudProvider>();
        ALL.forEach(module -> providers.putAll(module.open(System.getenv(), true, clock)));
        return providers;
    }
}
