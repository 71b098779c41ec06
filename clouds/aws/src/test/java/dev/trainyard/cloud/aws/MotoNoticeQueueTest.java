package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.core.api.TrainingClusterSpec.OtherMessages;
import dev.trainyard.core.node.MachineNotice;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.provider.CloudModule;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.NoticeQueue;
import dev.trainyard.scaler.queue.NoticeQueues;
import dev.trainyard.scaler.queue.NoticedNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/** The reader of queues on moto's SQS. Messages are sent first: moto may lose one that is sent while it deletes another. */
@Tag("slow")
@Timeout(120)
class MotoNoticeQueueTest {

    private static final String WARNED = "2026-01-01T10:00:00Z";

    private static MotoServer moto;

    private final Map<String, Node> nodes = new ConcurrentHashMap<>();
    private final AwsClients clients = new AwsClients(AwsStage.REGION, settings());
    private String url;
    private NoticeQueues queues;

    @BeforeAll
    static void startMoto() throws IOException, InterruptedException {
        moto = MotoServer.start();
    }

    @AfterAll
    static void stopMoto() {
        if (moto != null) {
            moto.close();
        }
    }

    @BeforeEach
    void createQueue() {
        url = sqs().createQueue(request -> request.queueName("trainyard-" + System.nanoTime()))
                .queueUrl();
        queues = new NoticeQueues(List.of(new Moto()), new Nodes(), () -> true, metrics(), Clock.systemUTC());
    }

    @AfterEach
    void stop() {
        queues.close();
        clients.close();
    }

    @Test
    void writesNoticesOnNodesAndEmptiesTheQueue() throws Exception {
        join("i-00000001");
        join("i-00000002");
        send("no event");
        send("x".repeat(200_000));
        send(RecordedEvents.state("i-00000003", "running"));
        send(RecordedEvents.interruption("i-00000001", WARNED, "terminate"));
        send(RecordedEvents.interruption("i-00000001", WARNED, "terminate"));
        send(RecordedEvents.rebalance("i-00000002"));
        follow(OtherMessages.DELETE);

        awaitMessages(0);
        assertThat(annotations("i-00000001"))
                .containsExactly(Map.entry(
                        Names.AWS_SPOT_INTERRUPTION,
                        "ends at 2026-01-01T10:02:00Z, announced at 2026-01-01T10:00:00Z"));
        assertThat(annotations("i-00000002")).containsOnlyKeys(Names.AWS_REBALANCE_RECOMMENDATION);
    }

    @Test
    void leavesMessagesForOtherClusters() throws Exception {
        join("i-00000001");
        send(RecordedEvents.interruption("i-00000003", WARNED, "terminate"));
        send(RecordedEvents.interruption("i-00000001", WARNED, "terminate"));
        follow(OtherMessages.KEEP);

        awaitMessages(1);
        assertThat(annotations("i-00000001")).containsOnlyKeys(Names.AWS_SPOT_INTERRUPTION);
        queues.close();
        nodes.clear();
        join("i-00000003");
        queues = new NoticeQueues(List.of(new Moto()), new Nodes(), () -> true, metrics(), Clock.systemUTC());
        follow(OtherMessages.KEEP);
        awaitMessages(0);
        assertThat(annotations("i-00000003")).containsOnlyKeys(Names.AWS_SPOT_INTERRUPTION);
    }

    @Test
    void readsNoMoreWhenTheQueueIsNoLongerInTheSettings() throws Exception {
        join("i-00000001");
        follow(OtherMessages.DELETE);
        queues.follow(List.of());
        // A request that moto already holds may still take one message. The reader then leaves the message alone.
        send(RecordedEvents.interruption("i-00000001", WARNED, "terminate"));
        Thread.sleep(500);
        assertThat(messages()).isEqualTo(1);
        assertThat(annotations("i-00000001")).isEmpty();
    }

    /** Waits until the number was counted twice in a row: moto counts visible and received messages one after the other. */
    private void awaitMessages(int number) throws InterruptedException {
        for (int times = 0; times < 2; times = messages() == number ? times + 1 : 0) {
            Thread.sleep(20);
        }
    }

    private void follow(OtherMessages others) {
        queues.follow(List.of(new NoticeQueueSpec(url, others)));
    }

    private void send(String body) {
        sqs().sendMessage(request -> request.queueUrl(url).messageBody(body));
    }

    /** Returns the number of messages, including those that were received and may come again. */
    private int messages() {
        var attributes = sqs().getQueueAttributes(request -> request.queueUrl(url)
                        .attributeNames(
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES,
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE))
                .attributes();
        return attributes.values().stream().mapToInt(Integer::parseInt).sum();
    }

    private void join(String instance) {
        nodes.put(
                instance,
                new NodeBuilder()
                        .withNewMetadata()
                        .withName(instance)
                        .endMetadata()
                        .withNewSpec()
                        .withProviderID("aws:///eu-west-1a/" + instance)
                        .endSpec()
                        .build());
    }

    private Map<String, String> annotations(String instance) {
        return Optional.ofNullable(nodes.get(instance).getMetadata().getAnnotations())
                .orElse(Map.of());
    }

    private static ScalerMetrics metrics() {
        return new ScalerMetrics(new SimpleMeterRegistry());
    }

    private SqsClient sqs() {
        return clients.sqs();
    }

    private static AwsSettings settings() {
        return new AwsSettings(
                Optional.of(moto.url()),
                Optional.empty(),
                StaticCredentialsProvider.create(AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "x".repeat(40))),
                Duration.ofSeconds(60),
                Duration.ofSeconds(120),
                Duration.ofMillis(1));
    }

    private static final class Moto implements CloudModule {
        @Override
        public Map<String, CloudProvider> open(Map<String, String> environment, boolean readOnly, Clock clock) {
            return Map.of();
        }

        @Override
        public Optional<NoticeQueue> noticeQueue(NoticeQueueSpec queue) {
            return Optional.of(new SqsNoticeQueue(
                    String.valueOf(queue.sqs()), new AwsCalls(AwsStage.REGION, MotoNoticeQueueTest.settings())));
        }
    }

    private final class Nodes implements NoticedNodes {
        @Override
        public Optional<Node> find(MachineNotice notice) {
            return nodes.values().stream()
                    .filter(node -> MachineNotice.machineOf(node.getSpec().getProviderID())
                            .equals(Optional.of(notice.machine())))
                    .findFirst();
        }

        @Override
        public void write(Node node, MachineNotice notice) {
            nodes.put(
                    node.getMetadata().getName(),
                    new NodeBuilder(node)
                            .editMetadata()
                            .addToAnnotations(notice.annotation(), notice.value())
                            .endMetadata()
                            .build());
        }
    }
}
