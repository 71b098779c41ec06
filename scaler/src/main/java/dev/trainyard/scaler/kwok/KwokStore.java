package dev.trainyard.scaler.kwok;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a simulated cloud in a ConfigMap, so that it outlives the scaler as a real one does. Each change is one conditional write: it is there
 * whole or not at all, and of two that meet, one starts over.
 */
final class KwokStore {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEY = "cloud.json";
    private static final int ATTEMPTS = 10;

    private final KubernetesClient client;
    private final String namespace;

    KwokStore(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** A change of a cloud; may be run several times. */
    @FunctionalInterface
    interface Change {
        KwokCloud apply(KwokCloud before) throws ProviderException;
    }

    KwokCloud read(String pool) throws ProviderException {
        try {
            return parse(pool, find(pool));
        } catch (KubernetesClientException e) {
            throw failed(pool, e);
        }
    }

    KwokCloud change(String pool, Change change) throws ProviderException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                var stored = find(pool);
                var before = parse(pool, stored);
                var after = change.apply(before);
                if (!after.equals(before)) {
                    write(pool, stored, after);
                }
                return after;
            } catch (KubernetesClientException e) {
                if (e.getCode() != 409) {
                    throw failed(pool, e);
                }
            }
        }
        throw new ProviderException(
                FailureKind.CONFLICT, "ConfigMap %s is being changed by others".formatted(name(pool)));
    }

    private @Nullable ConfigMap find(String pool) {
        return client.configMaps().inNamespace(namespace).withName(name(pool)).get();
    }

    private void write(String pool, @Nullable ConfigMap stored, KwokCloud after) {
        var builder = stored == null
                ? new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(name(pool))
                        .withNamespace(namespace)
                        .endMetadata()
                : new ConfigMapBuilder(stored);
        var map = builder.withData(Map.of(KEY, format(after))).build();
        if (stored == null) {
            client.resource(map).create();
        } else {
            client.resource(map)
                    .lockResourceVersion(stored.getMetadata().getResourceVersion())
                    .update();
        }
    }

    private KwokCloud parse(String pool, @Nullable ConfigMap map) throws ProviderException {
        if (map == null) {
            return KwokCloud.EMPTY;
        }
        try {
            return JSON.readValue(map.getData().getOrDefault(KEY, ""), KwokCloud.class);
        } catch (JsonProcessingException e) {
            // Not to be taken for an empty cloud: that would lose machines.
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "ConfigMap %s/%s, key %s, cannot be read (delete the ConfigMap to begin anew): %s"
                            .formatted(namespace, name(pool), KEY, e.getOriginalMessage()));
        }
    }

    private static String format(KwokCloud cloud) {
        try {
            return JSON.writeValueAsString(cloud);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ProviderException failed(String pool, KubernetesClientException e) {
        var kind = e.getCode() == 403 || e.getCode() == 401 ? FailureKind.AUTH : FailureKind.TRANSIENT;
        return new ProviderException(kind, "ConfigMap %s: %s".formatted(name(pool), e.getMessage()));
    }

    private static String name(String pool) {
        return "kwok-cloud-" + pool;
    }
}
