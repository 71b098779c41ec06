package dev.trainyard.runtime.kubernetes;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Makes API clients with the limits that suit a controller. */
public final class KubernetesClients {

    /** Where the client goes when nothing says where. */
    private static final String NOWHERE = "https://kubernetes.default.svc";

    private KubernetesClients() {}

    /**
     * A client for {@code kubeconfig}; when that is null, for the cluster this runs in, else for what {@code KUBECONFIG} or
     * {@code ~/.kube/config} name, as kubectl does.
     *
     * @throws IllegalArgumentException when {@code kubeconfig} is no kubeconfig, or names no cluster, or there is none; the message is for
     *     the user
     */
    public static KubernetesClient open(@Nullable Path kubeconfig) {
        if (kubeconfig != null && !Files.isReadable(kubeconfig)) {
            throw new IllegalArgumentException(
                    "kubeconfig %s cannot be read; name a file that is there".formatted(kubeconfig));
        }
        var base = kubeconfig == null ? usual() : read(kubeconfig);
        var config = new ConfigBuilder(base)
                .withUserAgent("trainyard")
                // The client's own default of 10 attempts with growing pauses makes a first call to a dead server last
                // 20 s;
                // our callers run in loops and try again themselves.
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
     * How objects of the cluster are read: their definitions may be a release newer than this program. Members that it does not know are
     * passed over, and words that it does not know are as good as absent, so that the one object is reported; read strictly, it would
     * keep all others from being listed.
     */
    public static KubernetesSerialization serialization() {
        var mapper = JsonMapper.builder()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
                .build();
        return new KubernetesSerialization(mapper, true);
    }

    private static Config usual() {
        var named = Config.getKubeconfigFilenames().stream().map(Path::of).toList();
        var present = named.stream().filter(Files::isReadable).toList();
        if (present.size() == 1) { // several complete each other
            Kubeconfig.check(present.get(0));
        }
        var config = Config.autoConfigure(null);
        if (present.isEmpty()
                && config.getMasterUrl().startsWith(NOWHERE)
                && !Files.exists(Path.of(Config.KUBERNETES_SERVICE_ACCOUNT_TOKEN_PATH))) {
            throw new IllegalArgumentException(
                    "there is no kubeconfig %s, and this runs in no pod; name one with --kubeconfig, or in KUBECONFIG"
                            .formatted(String.join(
                                    " or ", named.stream().map(Path::toString).toList())));
        }
        return config;
    }

    private static Config read(Path kubeconfig) {
        Kubeconfig.check(kubeconfig);
        try {
            return Config.fromKubeconfig(kubeconfig.toFile());
        } catch (RuntimeException e) { // whatever the client and its YAML reader throw
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
