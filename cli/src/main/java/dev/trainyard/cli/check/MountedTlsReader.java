package dev.trainyard.cli.check;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A reader of the certificates in Secrets that components mount. */
final class MountedTlsReader {

    private static final List<String> FLAGS = List.of("--tls-dir", "--scheduler-tls-dir");
    private static final List<String> CERTIFICATES = List.of("ca.crt", "tls.crt");

    private final KubernetesClient client;
    private final CheckedInstallation setting;

    MountedTlsReader(KubernetesClient client, CheckedInstallation setting) {
        this.client = client;
        this.setting = setting;
    }

    List<MountedTls> read(ReadResult<List<Deployment>> deployments) {
        var mounted = new ArrayList<MountedTls>();
        for (var deployment : deployments.value().orElse(List.of())) {
            if (ComponentDeployments.wanted(deployment) > 0) {
                for (var container : ComponentDeployments.containers(deployment)) {
                    FLAGS.forEach(flag -> secret(deployment, container, flag)
                            .map(volume ->
                                    new MountedTls(volume.getSecretName(), container.getName(), flag, files(volume)))
                            .ifPresent(mounted::add));
                }
            }
        }
        return mounted;
    }

    /** Returns the Secret that is mounted at the directory in {@code flag}; empty if there is none. */
    private static Optional<SecretVolumeSource> secret(Deployment deployment, Container container, String flag) {
        var volumes = Optional.ofNullable(
                        deployment.getSpec().getTemplate().getSpec().getVolumes())
                .orElse(List.of());
        return ComponentDeployments.flag(container, flag)
                .flatMap(directory -> Stream.ofNullable(container.getVolumeMounts())
                        .flatMap(List::stream)
                        .filter(mount -> mount.getMountPath().equals(directory))
                        .findFirst())
                .flatMap(mount -> volumes.stream()
                        .filter(volume -> volume.getName().equals(mount.getName()) && volume.getSecret() != null)
                        .map(volume -> volume.getSecret())
                        .findFirst());
    }

    private ReadResult<Optional<Map<String, String>>> files(SecretVolumeSource volume) {
        try {
            return ReadResult.of(Optional.ofNullable(client.secrets()
                            .inNamespace(setting.namespace())
                            .withName(volume.getSecretName())
                            .get())
                    .map(secret -> certificates(secret, volume)));
        } catch (KubernetesClientException e) {
            return ReadResult.unread(ClusterErrors.problem(e));
        }
    }

    private static Map<String, String> certificates(Secret secret, SecretVolumeSource volume) {
        var data = Optional.ofNullable(secret.getData()).orElse(Map.of());
        var files = new TreeMap<String, String>();
        for (var file : CERTIFICATES) {
            var key = Stream.ofNullable(volume.getItems())
                    .flatMap(List::stream)
                    .filter(item -> item.getPath().equals(file))
                    .map(item -> item.getKey())
                    .findFirst()
                    .orElse(file);
            Optional.ofNullable(data.get(key))
                    .ifPresent(base64 -> files.put(
                            file, new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.ISO_8859_1)));
        }
        if (data.containsKey(MountedTls.CA_KEY)) {
            files.put(MountedTls.CA_KEY, "");
        }
        return files;
    }
}
