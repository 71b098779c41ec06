package dev.trainyard.bench.scale;

import dev.trainyard.bench.process.BenchException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Pods that are created at a steady rate, run for a while, and are deleted when they have ended. Thread-safe. */
final class PodChurn implements AutoCloseable {

    private static final int CLIENTS = 4;
    private static final Duration COLLECTION = Duration.ofSeconds(1);

    private final KubernetesClient client;
    private final ScaleObjects objects;
    private final ScaleBenchOptions options;
    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger created = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Long> startMillis = new ArrayList<>(); // guarded by itself
    private long start;

    PodChurn(KubernetesClient client, ScaleObjects objects, ScaleBenchOptions options) {
        this.client = client;
        this.objects = objects;
        this.options = options;
    }

    void start() {
        start = System.nanoTime();
        long pause = (long) (TimeUnit.SECONDS.toNanos(1) / options.podsPerSecond());
        var unused = clock.scheduleAtFixedRate(() -> guarded(this::create), 0, pause, TimeUnit.NANOSECONDS);
        var unusedToo = clock.scheduleWithFixedDelay(
                () -> guarded(this::collect), 0, COLLECTION.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns the time since the first pod was created. */
    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    int created() {
        return created.get();
    }

    int ended() {
        return ended.get();
    }

    boolean hasCreatedAll() {
        return created.get() == options.pods();
    }

    /** Whether all pods have been created, have run and are deleted. */
    boolean hasEnded() {
        return ended.get() == options.pods();
    }

    /** Returns the times from creation to start of all pods that have ended, in milliseconds. The API server's times are whole seconds. */
    long[] startMillis() {
        synchronized (startMillis) {
            return startMillis.stream().mapToLong(Long::longValue).toArray();
        }
    }

    /** @throws BenchException if a request failed */
    void check() {
        var problem = failure.get();
        if (problem != null) {
            throw new BenchException("pods cannot be created or deleted: " + problem.getMessage(), problem);
        }
    }

    private void create() {
        if (begun.get() >= options.pods()) {
            return;
        }
        int number = begun.getAndIncrement();
        var unused = clients.submit(() -> guarded(() -> {
            client.resource(objects.pod(number)).create();
            created.incrementAndGet();
        }));
    }

    private void collect() throws Exception {
        var pods = client.pods().inNamespace(ScaleObjects.NAMESPACE);
        var deletions = new ArrayList<Future<?>>();
        for (var pod : pods.withField("status.phase", "Succeeded").list().getItems()) {
            deletions.add(clients.submit(() -> {
                pods.withName(pod.getMetadata().getName()).withGracePeriod(0).delete();
                note(pod);
            }));
        }
        for (var deletion : deletions) {
            deletion.get();
        }
    }

    private void note(Pod pod) {
        synchronized (startMillis) {
            startMillis.add(Duration.between(
                            Instant.parse(pod.getMetadata().getCreationTimestamp()),
                            Instant.parse(pod.getStatus().getStartTime()))
                    .toMillis());
        }
        ended.incrementAndGet();
    }

    /** Some work of a thread of this object. */
    private interface Work {
        void run() throws Exception;
    }

    private void guarded(Work work) {
        try {
            work.run();
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        clients.shutdownNow();
    }
}
