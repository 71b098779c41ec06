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

    /** All clouds except kwok's simulated machines, which are part of the scaler. */
    static final List<CloudModule> ALL = List.of(new AwsModule(), new AzureModule());

    private SupportedClouds() {}

    /** Returns the providers by the field of {@code spec.provider} that selects them. Reading a pool changes nothing in the cloud. */
    static Map<String, CloudProvider> open(Clock clock) {
        var providers = new HashMap<String, CloudProvider>();
        ALL.forEach(module -> providers.putAll(module.open(System.getenv(), true, clock)));
        return providers;
    }
}
