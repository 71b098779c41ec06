package dev.trainyard.runtime.kubernetes;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Factory methods for API clients with limits that suit a controller. */
public final class KubernetesClients {

    /** The API server's address that the client uses if no configuration states an address. */
    private static final String NOWHERE = "https://kubernetes.default.svc";

    /**
     * Metadata without {@code managedFields}. Trainyard never reads them, and they are often longer than the rest of the object. An update
     * without them leaves them as they are.
     */
    @JsonIgnoreProperties("managedFields")
    private interface WithoutManagedFields {}

    private KubernetesClients() {}

    /**
     * Creates a client for {@code kubeconfig}. If {@code kubeconfig} is null, the client uses {@code KUBECONFIG} or {@code ~/.kube/config},
     * as kubectl does. If there is no such file, the client is for the cluster that this process runs in.
     *
     * @throws IllegalArgumentException if {@code kubeconfig} is invalid or names no cluster, or if no configuration is found; the message
     *     is for the user
     */
    public static KubernetesClient open(@Nullable Path kubeconfig) {
        if (kubeconfig != null && !Files.isReadable(kubeconfig)) {
            throw new IllegalArgumentException(
                    "kubeconfig %s cannot be read; name an existing file".formatted(kubeconfig));
        }
        var base = kubeconfig == null ? usual() : read(kubeconfig);
        var config = new ConfigBuilder(base)
                .withUserAgent("trainyard")
                // The client's default of 10 attempts with growing pauses would make a first call to a dead server last
                // 20 s. Our callers run in loops and retry by themselves.
                .withRequestRetryBackoffLimit(3)
                .withRequestRetryBackoffInterval(100)
                .withConnectionTimeout(5_000)
                .withRequestTimeout(15_000)
                .withWatchReconnectInterval(500)
                .build();
        return new KubernetesClientBuilder()
                .withConfig(config)
                .withKubernetesSerialization(serialization())
                .build();
    }

    /**
     * Returns the settings for reading objects of the cluster. The CustomResourceDefinitions may be a release newer than this program.
     * Unknown members are therefore ignored, and unknown enum values are read as absent. With strict reading, one object with an unknown
     * value would prevent the listing of all objects.
     */
    public static KubernetesSerialization serialization() {
        var mapper = JsonMapper.builder()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
                .addMixIn(ObjectMeta.class, WithoutManagedFields.class)
                .build();
        var serialization = new KubernetesSerialization(mapper, true);
        mapper.registerModule(new SimpleModule("watch events")
                .addDeserializer(
                        WatchEvent.class, new WatchEventReader(serialization::getRegisteredKubernetesResource)));
        return serialization;
    }

    private static Config usual() {
        var named = Config.getKubeconfigFilenames().stream().map(Path::of).toList();
        var present = named.stream().filter(Files::isReadable).toList();
        if (present.size() == 1) { // several files are merged, so they cannot be checked one by one
            Kubeconfig.check(present.get(0));
        }
        var config = Config.autoConfigure(null);
        if (present.isEmpty()
                && config.getMasterUrl().startsWith(NOWHERE)
                && !Files.exists(Path.of(Config.KUBERNETES_SERVICE_ACCOUNT_TOKEN_PATH))) {
            throw new IllegalArgumentException(
                    "there is no kubeconfig %s, and this process does not run in a pod; name a kubeconfig with --kubeconfig or in KUBECONFIG"
                            .formatted(String.join(
                                    " or ", named.stream().map(Path::toString).toList())));
        }
        return config;
    }

    private static Config read(Path kubeconfig) {
        Kubeconfig.check(kubeconfig);
        try {
            return Config.fromKubeconfig(kubeconfig.toFile());
        } catch (RuntimeException e) { // the client and its YAML reader throw various types
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            var reason = String.valueOf(root.getMessage())
                    .lines()
                    .map(String::strip)
                    .findFirst()
                    .orElse("");
            throw new IllegalArgumentException(
                    "kubeconfig %s cannot be read: %s; name a file that kubectl can use".formatted(kubeconfig, reason),
                    e);
        }
    }
}
