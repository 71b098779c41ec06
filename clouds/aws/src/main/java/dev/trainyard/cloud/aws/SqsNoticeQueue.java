package dev.trainyard.cloud.aws;

import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.NoticeQueue;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;

/** An SQS queue that gets the events of EventBridge rules; {@code manifests/aws} has the rules. */
record SqsNoticeQueue(String url, AwsCalls calls) implements NoticeQueue {

    private static final Pattern URL = Pattern.compile(NoticeQueueSpec.SQS_URL);

    /** Returns the region in the URL of a queue. */
    static String region(String url) {
        var parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'%s' is not the URL of an SQS queue".formatted(url));
        }
        return parts.group(1);
    }

    @Override
    public List<Message> receive() throws ProviderException {
        return calls.receive(url).stream()
                .map(message -> EventBridgeEvents.message(
                        message.receiptHandle(),
                        Instant.ofEpochMilli(Long.parseLong(
                                message.attributes().getOrDefault(MessageSystemAttributeName.SENT_TIMESTAMP, "0"))),
                        String.valueOf(message.body())))
                .toList();
    }

    @Override
    public void delete(List<Message> messages) throws ProviderException {
        calls.delete(url, messages.stream().map(Message::handle).toList());
    }

    @Override
    public List<CloudRight> rights() throws ProviderException {
        return new Rights(calls).ofQueue(url);
    }

    @Override
    public void close() {
        calls.close();
    }
}
