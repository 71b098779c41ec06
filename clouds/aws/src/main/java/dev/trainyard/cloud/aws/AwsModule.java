package dev.trainyard.cloud.aws;

import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.scaler.provider.CloudModule;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.NoticeQueue;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

/** The module for AWS: Auto Scaling groups. docs/aws.md states the order in which credentials are tried. */
public final class AwsModule implements CloudModule {

    @Override
    public Map<String, CloudProvider> open(Map<String, String> environment, boolean readOnly, Clock clock) {
        return Map.of("awsAutoScalingGroup", new AwsProvider(clock));
    }

    @Override
    public Optional<NoticeQueue> noticeQueue(NoticeQueueSpec queue) {
        return Optional.ofNullable(queue.sqs()).map(url -> {
            var region = SqsNoticeQueue.region(url);
            return new SqsNoticeQueue(url, new AwsCalls(region, AwsSettings.usual(region)));
        });
    }
}
