package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.CloudModule;
import dev.trainyard.scaler.provider.CloudProvider;
import java.time.Clock;
import java.util.Map;

/** The module for AWS: Auto Scaling groups. docs/aws.md states the order in which credentials are tried. */
public final class AwsModule implements CloudModule {

    @Override
    public Map<String, CloudProvider> open(Map<String, String> environment, boolean readOnly, Clock clock) {
        return Map.of("awsAutoScalingGroup", new AwsProvider(clock));
    }
}
