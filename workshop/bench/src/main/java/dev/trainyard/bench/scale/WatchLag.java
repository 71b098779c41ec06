package dev.trainyard.bench.scale;

import dev.trainyard.bench.measure.MetricsPage;
import dev.trainyard.bench.process.BenchException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A measurement of how far watches are behind: the time from the API server's answer to a write until the component's metrics show the
 * resource version of this write. The webhook watches namespaces. The extender and the scaler watch pods, which change most often.
 */
final class WatchLag {

    private static final Duration MOST = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 3;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;
    private final List<ScaleSubject.Component> components;

    WatchLag(KubernetesClient client, List<ScaleSubject.Component> components) {
        this.client = client;
        this.components = components;
    }

    /** Writes once, and returns each component's lag in milliseconds. A lag of more than 30 s counts as 30 s. */
    Map<String, Double> measure(int number) {
        var change = "{\"metadata\":{\"annotations\":{\"written\":\"%d\"}}}".formatted(number);
        var namespace = Write.of(
                "namespaces",
                client.namespaces().withName(ScaleObjects.NAMESPACE).patch(MERGE, change));
        var pod = Write.of(
                "pods",
                client.pods()
                        .inNamespace(ScaleObjects.NAMESPACE)
                        .withName(ScaleObjects.MARKER)
                        .patch(MERGE, change));
        var lags = new HashMap<String, CompletableFuture<Double>>();
        for (var component : components) {
            var write = component.name().equals(ScaleSubject.WEBHOOK) ? namespace : pod;
            lags.put(component.name(), CompletableFuture.supplyAsync(() -> lag(component, write)));
        }
        var measured = new HashMap<String, Double>();
        lags.forEach((name, lag) -> measured.put(name, lag.join()));
        return measured;
    }

    /**
     * A write that the API server has answered.
     *
     * @param nanos time of the answer, in {@link System#nanoTime}
     */
    private record Write(String resource, long version, long nanos) {
        static Write of(String resource, HasMetadata written) {
            return new Write(resource, Long.parseLong(written.getMetadata().getResourceVersion()), System.nanoTime());
        }
    }

    private static double lag(ScaleSubject.Component component, Write write) {
        var label = "resource=\"" + write.resource() + "\"";
        try {
            while (true) {
                double seen = MetricsPage.read(component.metrics()).sum("trainyard_watch_resource_version", label);
                long nanos = System.nanoTime() - write.nanos();
                if (seen >= write.version() || nanos > MOST.toNanos()) {
                    return nanos / NANOS_PER_MILLI;
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
