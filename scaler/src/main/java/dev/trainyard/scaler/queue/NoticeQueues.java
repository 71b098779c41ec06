package dev.trainyard.scaler.queue;

import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.scaler.calls.Pauses;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.provider.CloudModule;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The readers of all queues of the settings. Thread-safe. */
public final class NoticeQueues implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NoticeQueues.class);

    private final List<CloudModule> clouds;
    private final NoticedNodes nodes;
    private final BooleanSupplier leads;
    private final ScalerMetrics metrics;
    private final Clock clock;
    private final Map<NoticeQueueSpec, NoticeQueueReader> readers = new HashMap<>();
    private final Set<NoticeQueueSpec> refused = new HashSet<>();
    private boolean closed;

    /** @param leads returns whether this process may change the cluster */
    public NoticeQueues(
            List<CloudModule> clouds, NoticedNodes nodes, BooleanSupplier leads, ScalerMetrics metrics, Clock clock) {
        this.clouds = clouds;
        this.nodes = nodes;
        this.leads = leads;
        this.metrics = metrics;
        this.clock = clock;
    }

    /**
     * Starts the readers of new queues, and stops the readers of queues that are no longer in the settings. If a
     * reader cannot be started, the next call tries again.
     */
    public synchronized void follow(List<NoticeQueueSpec> queues) {
        if (closed) {
            return;
        }
        var obsolete = new HashSet<>(readers.keySet());
        obsolete.addAll(refused);
        queues.forEach(obsolete::remove);
        obsolete.forEach(this::drop);
        for (var queue : queues) {
            if (!readers.containsKey(queue) && !refused.contains(queue)) {
                open(queue);
            }
        }
    }

    private void drop(NoticeQueueSpec spec) {
        refused.remove(spec);
        Optional.ofNullable(readers.remove(spec)).ifPresent(NoticeQueueReader::close);
        metrics.forgetNotices(String.valueOf(spec.sqs()));
    }

    private void open(NoticeQueueSpec spec) {
        try {
            var queue = clouds.stream()
                    .flatMap(cloud -> cloud.noticeQueue(spec).stream())
                    .findFirst();
            queue.ifPresent(opened -> {
                var reader = new NoticeQueueReader(spec, opened, nodes, leads, metrics, Pauses.REAL, clock);
                reader.start();
                readers.put(spec, reader);
                log.info("reading notices of queue {}", spec.sqs());
            });
        } catch (RuntimeException e) {
            if (e instanceof IllegalArgumentException) {
                refused.add(spec);
            }
            metrics.readNotices(String.valueOf(spec.sqs()), false);
            log.error("queue {} cannot be read: {}", spec.sqs(), String.valueOf(e.getMessage()));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        readers.values().forEach(NoticeQueueReader::close);
        readers.clear();
    }
}
