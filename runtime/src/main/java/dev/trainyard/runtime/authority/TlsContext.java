package dev.trainyard.runtime.authority;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The environment in which a component opens its credentials.
 *
 * @param client API client; null if there is no cluster
 * @param namespace the namespace that Trainyard itself runs in
 * @param component name of the component in metrics
 */
public record TlsContext(
        @Nullable KubernetesClient client, String namespace, String component, MeterRegistry registry, Clock clock) {}
