package dev.trainyard.cli;

import dev.trainyard.cloud.aws.AwsModule;
import dev.trainyard.cloud.azure.AzureModule;
import dev.trainyard.scaler.provider.CloudModule;
import java.util.List;

/** The clouds of this executable. */
final class SupportedClouds {

    /** All clouds except kwok's simulated machines, which are part of the scaler. */
    static final List<CloudModule> ALL = List.of(new AwsModule(), new AzureModule());

    private SupportedClouds() {}
}
