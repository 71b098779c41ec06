package dev.trainyard.extender.workload;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue that hands learned workloads to a consumer. The queue has its own thread, and pauses for 5 s after each run. Evaluating a
 * workload takes time, which must not delay the scheduler or the watch of the cluster. If several workloads arrive in a pause, the consumer
 * gets only the last one. Thread-safe.
 */
public final class WorkloadQueue implements Consumer<TypicalWorkload>, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkloadQueue.class);
    private static final long BETWEEN_SECONDS = 5;

    private final AtomicReference<@Nullable TypicalWorkload> newest = new AtomicReference<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        var made = new Thread(task, "workload");
        made.setDaemon(true);
        return made;
    });

    /** @param pupil receives workloads, on one thread */
    public WorkloadQueue(Consumer<TypicalWorkload> pupil) {
        var unused = thread.scheduleWithFixedDelay(() -> teach(pupil), 0, BETWEEN_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void accept(TypicalWorkload workload) {
        newest.set(workload);
    }

    private void teach(Consumer<TypicalWorkload> pupil) {
        var workload = newest.getAndSet(null);
        if (workload == null) {
            return;
        }
        try {
            pupil.accept(workload);
        } catch (RuntimeException e) { // an exception would cancel all later runs
            log.warn(
                    "the scores could not be adapted to the typical workload that was learned from pods: {}",
                    e.toString());
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
