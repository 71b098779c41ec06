package dev.trainyard.runtime.authority;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * What is around a component that opens its credentials.
 *
 * @param client null where there is no cluster
 * @param namespace where Trainyard itself runs
 * @param component names the metrics
 */
public record TlsContext(
        @Nullable KubernetesClient client, String namespace, String component, MeterRegistry registry, Clock clock) {}
