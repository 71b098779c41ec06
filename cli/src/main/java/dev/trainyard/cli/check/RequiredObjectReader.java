package dev.trainyard.cli.check;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A reader of the ConfigMaps and Secrets that Deployments require. Keeps the names of the keys, but not their values. */
final class RequiredObjectReader {

    private static final String MAP = "ConfigMap";
    private static final String SECRET = "Secret";

    private final KubernetesClient client;
    private final CheckedInstallation setting;

    RequiredObjectReader(KubernetesClient client, CheckedInstallation setting) {
        this.client = client;
        this.setting = setting;
    }

    private record Reference(String kind, String name, String field, Set<String> needed) {}

    List<RequiredObject> read(ReadResult<List<Deployment>> deployments) {
        var read = new HashMap<String, ReadResult<Optional<Set<String>>>>();
        var all = new ArrayList<RequiredObject>();
        for (var deployment : deployments.value().orElse(List.of())) {
            if (ComponentDeployments.wanted(deployment) > 0) {
                for (var reference : references(deployment)) {
                    var keys = read.computeIfAbsent(
                            reference.kind() + " " + reference.name(), any -> keys(reference.kind(), reference.name()));
                    all.add(new RequiredObject(
                            reference.kind(),
                            reference.name(),
                            ComponentDeployments.object(deployment),
                            reference.field(),
                            reference.needed(),
                            keys));
                }
            }
        }
        return all;
    }

    private static Set<Reference> references(Deployment deployment) {
        var references = new LinkedHashSet<Reference>();
        for (var volume : list(deployment.getSpec().getTemplate().getSpec().getVolumes())) {
            references.addAll(of(volume));
        }
        for (var container : ComponentDeployments.containers(deployment)) {
            references.addAll(of(container));
        }
        return references;
    }

    private static List<Reference> of(Volume volume) {
        var references = new ArrayList<Reference>();
        var field = "volumes[%s]".formatted(volume.getName());
        var map = volume.getConfigMap();
        if (map != null && isNeeded(map.getOptional())) {
            references.add(new Reference(MAP, map.getName(), field + ".configMap", keys(map.getItems())));
        }
        var secret = volume.getSecret();
        if (secret != null && isNeeded(secret.getOptional())) {
            references.add(new Reference(SECRET, secret.getSecretName(), field + ".secret", keys(secret.getItems())));
        }
        var sources =
                volume.getProjected() == null ? null : volume.getProjected().getSources();
        for (VolumeProjection source : list(sources)) {
            if (source.getConfigMap() != null && isNeeded(source.getConfigMap().getOptional())) {
                references.add(new Reference(
                        MAP,
                        source.getConfigMap().getName(),
                        field + ".projected",
                        keys(source.getConfigMap().getItems())));
            }
            if (source.getSecret() != null && isNeeded(source.getSecret().getOptional())) {
                references.add(new Reference(
                        SECRET,
                        source.getSecret().getName(),
                        field + ".projected",
                        keys(source.getSecret().getItems())));
            }
        }
        return references;
    }

    private static List<Reference> of(Container container) {
        var references = new ArrayList<Reference>();
        var place = "container %s ".formatted(container.getName());
        for (var source : list(container.getEnvFrom())) {
            var map = source.getConfigMapRef();
            if (map != null && isNeeded(map.getOptional())) {
                references.add(new Reference(MAP, map.getName(), place + "envFrom", Set.of()));
            }
            var secret = source.getSecretRef();
            if (secret != null && isNeeded(secret.getOptional())) {
                references.add(new Reference(SECRET, secret.getName(), place + "envFrom", Set.of()));
            }
        }
        for (var variable : list(container.getEnv())) {
            var from = variable.getValueFrom();
            var field = "%senv[%s]".formatted(place, variable.getName());
            if (from != null
                    && from.getConfigMapKeyRef() != null
                    && isNeeded(from.getConfigMapKeyRef().getOptional())) {
                var key = from.getConfigMapKeyRef();
                references.add(new Reference(MAP, key.getName(), field, Set.of(key.getKey())));
            }
            if (from != null
                    && from.getSecretKeyRef() != null
                    && isNeeded(from.getSecretKeyRef().getOptional())) {
                var key = from.getSecretKeyRef();
                references.add(new Reference(SECRET, key.getName(), field, Set.of(key.getKey())));
            }
        }
        return references;
    }

    private ReadResult<Optional<Set<String>>> keys(String kind, String name) {
        try {
            return ReadResult.of(kind.equals(MAP) ? keysOfMap(name) : keysOfSecret(name));
        } catch (KubernetesClientException e) {
            return ReadResult.unread(ClusterErrors.problem(e));
        }
    }

    private Optional<Set<String>> keysOfMap(String name) {
        return Optional.ofNullable(client.configMaps()
                        .inNamespace(setting.namespace())
                        .withName(name)
                        .get())
                .map(map -> {
                    var keys = new TreeSet<>(map(map.getData()).keySet());
                    keys.addAll(map(map.getBinaryData()).keySet());
                    return keys;
                });
    }

    private Optional<Set<String>> keysOfSecret(String name) {
        return Optional.ofNullable(client.secrets()
                        .inNamespace(setting.namespace())
                        .withName(name)
                        .get())
                .map(secret -> new TreeSet<>(map(secret.getData()).keySet()));
    }

    private static boolean isNeeded(@Nullable Boolean optional) {
        return !Boolean.TRUE.equals(optional);
    }

    private static Set<String> keys(@Nullable List<KeyToPath> items) {
        return list(items).stream().map(KeyToPath::getKey).collect(Collectors.toSet());
    }

    private static <T> List<T> list(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static Map<String, String> map(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
