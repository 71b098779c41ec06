package dev.trainyard.local;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A function that completes a KubeSchedulerConfiguration in YAML for a local control plane. */
final class SchedulerConfiguration {
    static final String DEFAULT = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            """;

    private SchedulerConfiguration() {}

    /** Sets {@code clientConnection.kubeconfig}, and turns leader election off if {@code yaml} does not mention it. */
    static String complete(String yaml, Path kubeconfig) {
        Map<String, Object> configuration = map(Serialization.unmarshal(yaml, Object.class), "the configuration");
        if (!"KubeSchedulerConfiguration".equals(configuration.get("kind"))) {
            throw new IllegalArgumentException(
                    "a scheduler's configuration must have kind KubeSchedulerConfiguration, not "
                            + configuration.get("kind"));
        }
        Map<String, Object> connection = child(configuration, "clientConnection");
        connection.put("kubeconfig", kubeconfig.toString());
        child(configuration, "leaderElection").putIfAbsent("leaderElect", false);
        return Serialization.asYaml(configuration);
    }

    private static Map<String, Object> child(Map<String, Object> parent, String name) {
        Map<String, Object> child = map(parent.getOrDefault(name, Map.of()), name);
        parent.put(name, child);
        return child;
    }

    private static Map<String, Object> map(Object value, String what) {
        if (!(value instanceof Map<?, ?> entries)) {
            throw new IllegalArgumentException(what + " of a scheduler must be a YAML object");
        }
        Map<String, Object> copy = new LinkedHashMap<>();
        entries.forEach((key, entry) -> copy.put(String.valueOf(key), entry));
        return copy;
    }
}
