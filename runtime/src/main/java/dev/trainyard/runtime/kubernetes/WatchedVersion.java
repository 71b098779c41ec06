package dev.trainyard.runtime.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A gauge of the newest resource version that a watch has delivered. The version of an object that was just written, compared with the
 * gauge, shows whether the watch is behind. Thread-safe.
 */
public final class WatchedVersion<T extends HasMetadata> implements ResourceEventHandler<T> {

    private final AtomicLong newest = new AtomicLong();

    private WatchedVersion() {}

    /**
     * Registers a gauge for a watch. The gauge changes after the handlers that were added before this call have run.
     *
     * @param resource the label of the gauge, such as {@code pods}
     */
    public static <T extends HasMetadata> void measure(
            SharedIndexInformer<T> informer, String resource, MeterRegistry registry) {
        informer.addEventHandler(registered(resource, registry));
    }

    static <T extends HasMetadata> WatchedVersion<T> registered(String resource, MeterRegistry registry) {
        var version = new WatchedVersion<T>();
        Gauge.builder("trainyard.watch.resource.version", version.newest, AtomicLong::get)
                .description("Newest resource version that the watch has delivered")
                .tag("resource", resource)
                .register(registry);
        return version;
    }

    @Override
    public void onAdd(T object) {
        delivered(object.getMetadata().getResourceVersion());
    }

    @Override
    public void onUpdate(T before, T after) {
        delivered(after.getMetadata().getResourceVersion());
    }

    @Override
    public void onDelete(T object, boolean deletedFinalStateUnknown) {
        delivered(object.getMetadata().getResourceVersion());
    }

    @Override
    public void onList(String resourceVersion, boolean remainedInSync) {
        delivered(resourceVersion);
    }

    /** Ignores versions that are not numbers. Kubernetes has compared versions as numbers since 1.35, and etcd has always made numbers. */
    private void delivered(String version) {
        try {
            newest.accumulateAndGet(Long.parseLong(version), Math::max);
        } catch (NumberFormatException e) {
            // The gauge keeps its value.
        }
    }
}
