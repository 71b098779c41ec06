package dev.trainyard.scaler.queue;

import dev.trainyard.core.Durations;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.core.api.TrainingClusterSpec.OtherMessages;
import dev.trainyard.core.node.MachineNotice;
import dev.trainyard.scaler.calls.Pauses;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.provider.NoticeQueue;
import dev.trainyard.scaler.provider.NoticeQueue.Message;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that writes the notices of a queue on nodes. The change of a node starts a round, and the extender sees the same node. A message is
 * deleted only after its notices were written, so no notice is lost if this process ends. A notice that comes again changes nothing.
 */
final class NoticeQueueReader implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NoticeQueueReader.class);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** The longest time without reading after failures. The shortest notice of AWS is two minutes. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** How long a message waits for the node of its machine, which may still boot: the default of {@code provisionTimeout}. */
    private static final Duration JOINING = Duration.ofMinutes(15);

    /** Every so many failures in a row are logged. */
    private static final int REPORTED = 10;

    /** How many written values are remembered: more than a queue delivers until a watch shows them. */
    private static final int REMEMBERED = 10_000;

    private final NoticeQueueSpec spec;
    private final String url;
    private final NoticeQueue queue;
    private final NoticedNodes nodes;
    private final BooleanSupplier leads;
    private final ScalerMetrics metrics;
    private final Pauses pauses;
    private final Clock clock;
    private final Thread thread;
    private volatile boolean closed;
    /** The values that were written last, by node and annotation: the watch shows them only later. */
    private final Map<String, String> written = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > REMEMBERED;
        }
    };

    private boolean reported;
    private int failedWrites;

    /** @param leads returns whether this process may change the cluster */
    NoticeQueueReader(
            NoticeQueueSpec spec,
            NoticeQueue queue,
            NoticedNodes nodes,
            BooleanSupplier leads,
            ScalerMetrics metrics,
            Pauses pauses,
            Clock clock) {
        this.spec = spec;
        this.url = String.valueOf(spec.sqs());
        this.queue = queue;
        this.nodes = nodes;
        this.leads = leads;
        this.metrics = metrics;
        this.pauses = pauses;
        this.clock = clock;
        thread = new Thread(this::run, "notice-queue");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        int failures = 0;
        while (!closed) {
            try {
                if (leads.getAsBoolean()) {
                    read();
                    failures = 0;
                } else {
                    pauses.pause(FIRST_PAUSE);
                }
            } catch (ProviderException | RuntimeException | Error e) {
                // Errors are caught too: if the thread ended, all later notices would be missed.
                failures++;
                failed(e, failures);
            } catch (InterruptedException e) {
                log.debug("interrupted");
            }
        }
    }

    /** Handles the messages that come next. */
    private void read() throws ProviderException {
        var done = new ArrayList<Message>();
        for (var message : queue.receive()) {
            try {
                if (isDone(message)) {
                    done.add(message);
                }
            } catch (RuntimeException e) {
                // The message comes again soon. Until then, other notices must not wait.
                metrics.noticed(url, false);
                failedWrites++;
                if (failedWrites % REPORTED == 1) {
                    log.warn("a notice was not written on its node, trying again: {}", String.valueOf(e.getMessage()));
                }
            }
        }
        if (!done.isEmpty()) {
            queue.delete(done);
        }
        if (!closed) {
            metrics.readNotices(url, true);
        }
    }

    /** Writes the notices of a message. Returns whether the message can be deleted. */
    private boolean isDone(Message message) {
        message.problem().ifPresent(problem -> unreadable(message, problem));
        boolean concernsOthers = message.notices().isEmpty();
        boolean mayJoin = false;
        for (var notice : message.notices()) {
            if (closed || !leads.getAsBoolean()) {
                return false;
            }
            var node = nodes.find(notice);
            node.filter(found -> isNews(notice, found)).ifPresent(found -> write(notice, found));
            if (node.isEmpty()) {
                concernsOthers = true;
                mayJoin |= !notice.isWithdrawal()
                        && clock.instant().isBefore(message.sent().plus(JOINING));
            }
        }
        return !concernsOthers || (spec.otherMessages() == OtherMessages.DELETE && !mayJoin);
    }

    /**
     * Whether a notice should be written. The end of a machine that the scaler itself terminates is no news, and neither is the start of a
     * machine whose node joined afterwards.
     */
    private boolean isNews(MachineNotice notice, Node node) {
        var annotations =
                Optional.ofNullable(node.getMetadata().getAnnotations()).orElse(Map.of());
        var present = annotations.get(notice.annotation());
        boolean withdrawsNothing = notice.isWithdrawal() && present == null && joinedAfter(notice.announced(), node);
        return !annotations.containsKey(ScalerAnnotations.TERMINATING)
                && !withdrawsNothing
                && notice.replaces(present)
                && notice.replaces(written.get(key(notice, node)));
    }

    private static boolean joinedAfter(Instant time, Node node) {
        var created = node.getMetadata().getCreationTimestamp();
        return created != null && Instant.parse(created).isAfter(time);
    }

    private static String key(MachineNotice notice, Node node) {
        var metadata = node.getMetadata();
        return "%s %s %s".formatted(metadata.getName(), metadata.getUid(), notice.annotation());
    }

    private void write(MachineNotice notice, Node node) {
        nodes.write(node, notice);
        metrics.noticed(url, true);
        written.put(key(notice, node), notice.value());
        log.info(
                "node {}: machine {}: {}: {}",
                node.getMetadata().getName(),
                notice.machine(),
                notice.annotation(),
                notice.value());
    }

    private void unreadable(Message message, String problem) {
        if (!reported) {
            reported = true;
            log.warn("queue {} has a message that cannot be read: {}; more are not reported", url, problem);
        }
        log.debug("message {}: {}", message.handle(), problem);
    }

    private void failed(Throwable e, int failures) {
        if (closed) {
            return;
        }
        metrics.readNotices(url, false);
        if (failures % REPORTED == 1) {
            log.warn("notices of queue {} were not read, trying again: {}", url, String.valueOf(e.getMessage()));
        }
        var usual = Durations.doubled(FIRST_PAUSE, failures - 1, LONGEST_PAUSE);
        var asked = e instanceof ProviderException refusal ? refusal.retryAfter() : Optional.<Duration>empty();
        try {
            pauses.pause(pauses.jittered(Durations.min(Durations.max(usual, asked.orElse(usual)), LONGEST_PAUSE)));
        } catch (InterruptedException interruption) {
            log.debug("interrupted");
        }
    }

    /** Stops reading. A message that still arrives is not handled, so the queue delivers it again. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        queue.close();
        try {
            thread.join(Duration.ofSeconds(1).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
