package dev.trainyard.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A stream of new pods with a GPU request, at a fixed rate until stopped. The pods are deleted with their namespace. */
final class PodStream implements AutoCloseable {

    private static final int THREADS = 4;

    private final KubernetesClient client;
    private final String namespace;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger created = new AtomicInteger();

    private PodStream(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    static PodStream start(KubernetesClient client, String namespace, int perSecond) {
        var stream = new PodStream(client, namespace);
        long micros = TimeUnit.SECONDS.toMicros(THREADS) / perSecond;
        for (int thread = 0; thread < THREADS; thread++) {
            var unused = stream.threads.scheduleAtFixedRate(
                    stream::create, thread * micros / THREADS, micros, TimeUnit.MICROSECONDS);
        }
        return stream;
    }

    int created() {
        return created.get();
    }

    /** Returns the API server's messages about pods that it refused to create, each with the time. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    void stop() throws InterruptedException {
        threads.shutdown();
        threads.awaitTermination(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    private void create() {
        try {
            client.resource(pod()).create();
            created.incrementAndGet();
        } catch (KubernetesClientException e) {
            failures.add(Instant.now() + " " + e.getMessage());
        }
    }

    private Pod pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withGenerateName("stream-")
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                // No scheduler has this name, so the pods stay pending and cause no work for schedulers.
                .withSchedulerName("nobody")
                .addNewContainer()
                .withName("train")
                .withImage("train")
                .withNewResources()
                .withLimits(Map.of("nvidia.com/gpu", new Quantity("1")))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }
}
