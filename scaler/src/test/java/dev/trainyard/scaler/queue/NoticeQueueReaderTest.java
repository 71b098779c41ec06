package dev.trainyard.scaler.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.core.api.TrainingClusterSpec.OtherMessages;
import dev.trainyard.core.node.MachineNotice;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.calls.Pauses;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.NoticeQueue;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NoticeQueueReaderTest {

    private static final String URL = "https://sqs.eu-west-1.amazonaws.com/123456789012/q";
    private static final Instant TIME = Instant.parse("2026-01-01T10:00:00Z");

    private final FakeQueue queue = new FakeQueue();
    private final FakeNodes nodes = new FakeNodes();
    private final RecordedPauses pauses = new RecordedPauses();
    private final MovedClock clock = new MovedClock();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final ScalerMetrics metrics = new ScalerMetrics(meters);
    private volatile boolean leads = true;
    private NoticeQueueReader reader;

    @AfterEach
    void stop() {
        reader.close();
        assertThat(queue.closed).isTrue();
    }

    @Test
    void writesNoticeOnNodeBeforeItDeletesTheMessage() throws Exception {
        nodes.add("i-1", Map.of());
        start(OtherMessages.KEEP);
        queue.deliver(message("m1", interruption("i-1")));

        queue.awaitRead();
        assertThat(nodes.log).containsExactly("write i-1");
        assertThat(queue.deleted).containsExactly("m1");
        assertThat(nodes.annotation("i-1", Names.AWS_SPOT_INTERRUPTION))
                .isEqualTo("ends at 2026-01-01T10:02:00Z, announced at 2026-01-01T10:00:00Z");
    }

    @Test
    void deletesRepeatedMessageWithoutAnotherWrite() throws Exception {
        nodes.add("i-1", Map.of());
        start(OtherMessages.KEEP);
        queue.deliver(message("m1", interruption("i-1")));
        queue.awaitRead();
        queue.deliver(message("m2", interruption("i-1")));
        queue.awaitRead();

        assertThat(nodes.log).containsExactly("write i-1");
        assertThat(queue.deleted).containsExactly("m1", "m2");
    }

    @Test
    void keepsMessagesAboutOtherMachinesUnlessToldToDeleteThem() throws Exception {
        nodes.add("i-1", Map.of());
        start(OtherMessages.KEEP);
        NoticeQueue.Message[] others = {
            message("other", interruption("i-2")),
            message("both", interruption("i-1"), interruption("i-2")),
            new NoticeQueue.Message("unreadable", TIME, List.of(), Optional.of("no JSON"))
        };
        queue.deliver(others);
        queue.awaitRead();
        assertThat(queue.deleted).isEmpty();
        assertThat(nodes.log).containsExactly("write i-1");
        reader.close();

        start(OtherMessages.DELETE);
        queue.deliver(others);
        queue.awaitRead();
        assertThat(queue.deleted).containsExactly("other", "both", "unreadable");
    }

    @Test
    void noticeOfAMachineThatMayStillJoinIsNotDeleted() throws Exception {
        clock.move(Duration.between(clock.instant(), TIME.plusSeconds(15 * 60 - 1)));
        start(OtherMessages.DELETE);
        queue.deliver(message("booting", interruption("i-1")));
        queue.awaitRead();
        assertThat(queue.deleted).isEmpty();

        nodes.add("i-1", Map.of());
        queue.deliver(message("booting", interruption("i-1")));
        queue.awaitRead();
        assertThat(nodes.log).containsExactly("write i-1");
        assertThat(queue.deleted).containsExactly("booting");
    }

    @Test
    void doesNotWriteTheEndOfMachineThatTheScalerTerminates() throws Exception {
        nodes.add("i-1", Map.of(ScalerAnnotations.TERMINATING, "2026-01-01T09:59:00Z"));
        start(OtherMessages.KEEP);
        queue.deliver(message("m1", MachineNotice.of("i-1", Names.AWS_INSTANCE_STATE, TIME.plusSeconds(120), TIME)));
        queue.awaitRead();

        assertThat(nodes.log).isEmpty();
        assertThat(queue.deleted).containsExactly("m1");
    }

    @Test
    void keepsTheMessageIfTheWriteFailsAndHandlesTheOthers() throws Exception {
        nodes.add("i-1", Map.of());
        nodes.add("i-2", Map.of());
        nodes.refused = "i-1";
        start(OtherMessages.DELETE);
        queue.deliver(message("m1", interruption("i-1")), message("m2", interruption("i-2")));
        queue.awaitRead();

        assertThat(nodes.log).containsExactly("write i-2");
        assertThat(queue.deleted).containsExactly("m2");
        assertThat(notices("written")).isEqualTo(1);
        assertThat(notices("failed")).isEqualTo(1);
        assertThat(pauses.taken).as("other notices do not wait").isEmpty();
    }

    @Test
    void olderNoticeDoesNotReplaceANewerOneThatTheWatchDoesNotShowYet() throws Exception {
        nodes.add("i-1", Map.of());
        nodes.late = true;
        start(OtherMessages.KEEP);
        queue.deliver(
                message("closed", MachineNotice.withdrawn("i-1", Names.AWS_SCHEDULED_END, TIME.plusSeconds(300))),
                message("open", MachineNotice.of("i-1", Names.AWS_SCHEDULED_END, TIME.plusSeconds(9000), TIME)));
        queue.awaitRead();

        assertThat(nodes.log).containsExactly("write i-1");
        assertThat(queue.deleted).containsExactly("closed", "open");
    }

    @Test
    void backsOffWhileTheQueueFailsAndReadsOn() throws Exception {
        nodes.add("i-1", Map.of());
        start(OtherMessages.KEEP);
        IntStream.range(0, 7).forEach(i -> queue.deliveries.add(FakeQueue.FAILURE));
        queue.deliveries.add(FakeQueue.ERROR);
        queue.deliver(message("m1", interruption("i-1")));
        queue.awaitRead(9);

        assertThat(pauses.taken.stream().map(Duration::toSeconds)).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L, 30L);
        assertThat(queue.deleted).containsExactly("m1");
    }

    @Test
    void metricShowsWhetherTheQueueCanBeRead() throws Exception {
        start(OtherMessages.KEEP);
        queue.deliveries.add(FakeQueue.FAILURE);
        queue.awaitRead();
        assertThat(readable()).isZero();
        assertThat(notices("failed")).isZero();

        queue.deliver();
        queue.awaitRead();
        assertThat(readable()).isEqualTo(1);
        metrics.forgetNotices(URL);
        assertThat(meters.find("trainyard.scaler.notice.queue.readable").gauges())
                .isEmpty();
        assertThat(meters.find("trainyard.scaler.notices").counters()).isEmpty();
    }

    @Test
    void startedMachineIsNoLongerUnderNotice() throws Exception {
        nodes.add("i-1", Map.of());
        start(OtherMessages.KEEP);
        queue.deliver(
                message("stopped", MachineNotice.of("i-1", Names.AWS_INSTANCE_STATE, TIME.plusSeconds(120), TIME)),
                message("running", MachineNotice.withdrawn("i-1", Names.AWS_INSTANCE_STATE, TIME.plusSeconds(30))));
        queue.awaitRead();

        assertThat(nodes.annotation("i-1", Names.AWS_INSTANCE_STATE))
                .isEqualTo("withdrawn, announced at 2026-01-01T10:00:30Z");
    }

    @Test
    void startOfNewMachineIsNoNews() throws Exception {
        var running = message("running", MachineNotice.withdrawn("i-1", Names.AWS_INSTANCE_STATE, TIME));
        clock.move(Duration.between(clock.instant(), TIME));
        start(OtherMessages.DELETE);
        queue.deliver(running);
        queue.awaitRead();
        assertThat(queue.deleted).as("its node has not joined").containsExactly("running");

        nodes.add("i-1", Map.of(), TIME.plusSeconds(60));
        queue.deliver(running);
        queue.awaitRead();
        assertThat(nodes.log).isEmpty();
        assertThat(queue.deleted).containsExactly("running", "running");
    }

    @Test
    void secondRecommendationReplacesTheFirst() throws Exception {
        nodes.add("i-1", Map.of());
        start(OtherMessages.KEEP);
        queue.deliver(message("m1", recommendation(TIME)), message("again", recommendation(TIME)));
        queue.deliver(
                message("m2", recommendation(TIME.plusSeconds(600))),
                message("older", recommendation(TIME.plusSeconds(300))));
        queue.awaitRead(2);

        assertThat(nodes.log).containsExactly("write i-1", "write i-1");
        assertThat(nodes.annotation("i-1", Names.AWS_REBALANCE_RECOMMENDATION))
                .isEqualTo("risk, announced at 2026-01-01T10:10:00Z");
    }

    @Test
    void waitsAsLongAsTheCloudAsksAtFirst() throws Exception {
        start(OtherMessages.KEEP);
        queue.deliveries.add(() -> {
            throw new ProviderException(FailureKind.THROTTLED, "slow down", Duration.ofSeconds(7));
        });
        queue.awaitRead();

        assertThat(pauses.taken).containsExactly(Duration.ofSeconds(7));
    }

    @Test
    void readsNothingWhileAnotherScalerMayLead() throws Exception {
        leads = false;
        nodes.add("i-1", Map.of());
        start(OtherMessages.KEEP);
        pauses.passed.acquire(3);
        assertThat(queue.reads.availablePermits()).isZero();

        leads = true;
        queue.deliver(message("m1", interruption("i-1")));
        queue.awaitRead();
        assertThat(queue.deleted).containsExactly("m1");
    }

    @Test
    void leavesMessagesThatArriveAfterLeadershipWasLost() throws Exception {
        nodes.add("i-1", Map.of());
        start(OtherMessages.DELETE);
        queue.deliveries.add(() -> {
            leads = false;
            return List.of(message("m1", interruption("i-1")));
        });
        pauses.passed.acquire();

        assertThat(nodes.log).isEmpty();
        assertThat(queue.deleted).isEmpty();
    }

    private void start(OtherMessages others) {
        reader = new NoticeQueueReader(
                new NoticeQueueSpec(URL, others), queue, nodes, () -> leads, metrics, pauses, clock);
        reader.start();
    }

    private double readable() {
        return meters.get("trainyard.scaler.notice.queue.readable")
                .tag("queue", URL)
                .gauge()
                .value();
    }

    private double notices(String result) {
        return meters.get("trainyard.scaler.notices")
                .tags("queue", URL, "result", result)
                .counter()
                .count();
    }

    private static MachineNotice recommendation(Instant at) {
        return new MachineNotice("i-1", Names.AWS_REBALANCE_RECOMMENDATION, "risk", at);
    }

    private static MachineNotice interruption(String machine) {
        return MachineNotice.of(machine, Names.AWS_SPOT_INTERRUPTION, TIME.plusSeconds(120), TIME);
    }

    private static NoticeQueue.Message message(String handle, MachineNotice... notices) {
        return new NoticeQueue.Message(handle, TIME, List.of(notices), Optional.empty());
    }

    /** Pauses that take no time. */
    private static final class RecordedPauses implements Pauses {
        private final List<Duration> taken = new CopyOnWriteArrayList<>();
        private final Semaphore passed = new Semaphore(0);

        @Override
        public void pause(Duration time) throws InterruptedException {
            taken.add(time);
            passed.release();
            Thread.sleep(1);
        }

        @Override
        public Duration jittered(Duration time) {
            return time;
        }
    }

    private static final class FakeNodes implements NoticedNodes {
        private final Map<String, Node> byMachine = new ConcurrentHashMap<>();
        private final List<String> log = new CopyOnWriteArrayList<>();
        private volatile String refused = "";
        /** Whether the watch does not show writes yet. */
        private volatile boolean late;

        void add(String machine, Map<String, String> annotations) {
            add(machine, annotations, TIME.minusSeconds(3600));
        }

        void add(String machine, Map<String, String> annotations, Instant created) {
            byMachine.put(
                    machine,
                    new NodeBuilder()
                            .withNewMetadata()
                            .withName("node-" + machine)
                            .withCreationTimestamp(created.toString())
                            .withAnnotations(annotations)
                            .endMetadata()
                            .build());
        }

        String annotation(String machine, String name) {
            return byMachine.get(machine).getMetadata().getAnnotations().get(name);
        }

        @Override
        public Optional<Node> find(MachineNotice notice) {
            return Optional.ofNullable(byMachine.get(notice.machine()));
        }

        @Override
        public void write(Node node, MachineNotice notice) {
            if (refused.equals(notice.machine())) {
                throw new IllegalStateException("the API server is down");
            }
            if (!late) {
                add(notice.machine(), Map.of(notice.annotation(), notice.value()));
            }
            log.add("write " + notice.machine());
        }
    }

    private static final class FakeQueue implements NoticeQueue {

        private interface Delivery {
            List<Message> messages() throws ProviderException;
        }

        private static final Delivery FAILURE = () -> {
            throw new ProviderException(FailureKind.TRANSIENT, "the queue is down");
        };
        private static final Delivery ERROR = () -> {
            throw new AssertionError("a mistake");
        };

        private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
        private final List<String> deleted = new CopyOnWriteArrayList<>();
        private final Semaphore reads = new Semaphore(0);
        private volatile boolean closed;
        private boolean delivered;

        void deliver(Message... messages) {
            deliveries.add(() -> List.of(messages));
        }

        void awaitRead() throws InterruptedException {
            awaitRead(1);
        }

        /** Waits until this many deliveries were handled. */
        void awaitRead(int times) throws InterruptedException {
            assertThat(reads.tryAcquire(times, 30, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public List<Message> receive() throws ProviderException {
            if (delivered) {
                delivered = false;
                reads.release();
            }
            try {
                var delivery = deliveries.take();
                delivered = true;
                return delivery.messages();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }

        @Override
        public void delete(List<Message> messages) {
            deleted.addAll(messages.stream().map(Message::handle).toList());
        }

        @Override
        public List<CloudRight> rights() {
            return List.of();
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
