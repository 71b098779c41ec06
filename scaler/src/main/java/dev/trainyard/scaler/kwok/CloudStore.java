package dev.trainyard.scaler.kwok;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The storage of simulated clouds: a ConfigMap for each pool, so that a cloud survives a restart of the scaler. A change is written only if
 * the ConfigMap has not changed since it was read.
 */
final class CloudStore {

    private static final String KEY = "cloud.json";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ATTEMPTS = 5;

    private final KubernetesClient client;
    private final String namespace;

    CloudStore(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /**
     * A change of a cloud. If another writer changes the cloud at the same time, the change is applied again to the other writer's result.
     */
    @FunctionalInterface
    interface Change {
        SimulatedCloud apply(SimulatedCloud cloud) throws ProviderException;
    }

    SimulatedCloud read(String pool) throws ProviderException {
        return parse(pool, find(pool));
    }

    /**
     * Changes the cloud of a pool.
     *
     * @return the changed cloud; if it equals the old one, nothing is written
     */
    SimulatedCloud change(String pool, Change change) throws ProviderException {
        for (int attempt = 1; ; attempt++) {
            var before = find(pool);
            var cloud = parse(pool, before);
            var changed = change.apply(cloud);
            if (changed.equals(cloud)) {
                return cloud;
            }
            try {
                write(pool, before, changed);
                return changed;
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT || attempt == ATTEMPTS) {
                    throw failure(pool, e);
                }
            }
        }
    }

    private @Nullable ConfigMap find(String pool) throws ProviderException {
        try {
            return client.configMaps()
                    .inNamespace(namespace)
                    .withName(name(pool))
                    .get();
        } catch (KubernetesClientException e) {
            throw failure(pool, e);
        }
    }

    private void write(String pool, @Nullable ConfigMap before, SimulatedCloud cloud) {
        var data = Map.of(KEY, json(cloud));
        if (before == null) {
            client.resource(new ConfigMapBuilder()
                            .withNewMetadata()
                            .withName(name(pool))
                            .withNamespace(namespace)
                            .endMetadata()
                            .withData(data)
                            .build())
                    .create();
        } else {
            client.resource(new ConfigMapBuilder(before).withData(data).build())
                    .lockResourceVersion(before.getMetadata().getResourceVersion())
                    .update();
        }
    }

    private static String name(String pool) {
        return "kwok-cloud-" + pool;
    }

    private static SimulatedCloud parse(String pool, @Nullable ConfigMap stored) throws ProviderException {
        if (stored == null || stored.getData() == null || !stored.getData().containsKey(KEY)) {
            return SimulatedCloud.EMPTY;
        }
        try {
            return JSON.readValue(stored.getData().get(KEY), SimulatedCloud.class);
        } catch (JsonProcessingException e) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "ConfigMap %s, key %s: the content is invalid: %s; delete the ConfigMap to start again"
                            .formatted(name(pool), KEY, e.getOriginalMessage()));
        }
    }

    private static String json(SimulatedCloud cloud) {
        try {
            return JSON.writeValueAsString(cloud);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ProviderException failure(String pool, KubernetesClientException e) {
        return new ProviderException(
                FailureKind.TRANSIENT, "ConfigMap %s: %s".formatted(name(pool), String.valueOf(e.getMessage())));
    }
}
