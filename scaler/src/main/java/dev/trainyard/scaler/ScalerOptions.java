package dev.trainyard.scaler;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.scaler.plan.Planner;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The options of a scaler.
 *
 * @param kubeconfig the kubeconfig file; null for the cluster that the scaler runs in, or outside a cluster for kubectl's configuration
 * @param listen the address for the extender's reports
 * @param tls the certificates of the server at {@code listen}
 * @param operations the address of probes and metrics; null for none
 * @param page the loopback address of the status page; null for none
 * @param scanInterval the time between two rounds if nothing happens
 * @param batchWindow the time to wait for a burst of events to end
 * @param namespace the namespace that Trainyard itself runs in. It has the Lease and the ConfigMaps of simulated clouds; the webhook
 *     ignores its pods
 * @param identity the identity of this replica; must differ from the identity of every other running replica
 * @param notices the secret URL of a webhook for notices, in the format of Slack's incoming webhooks; null for none
 * @param dryRun whether the scaler only reports what it would do: it changes nothing and takes no part in the leader election
 * @param priorityCutoff the lowest pod priority for which machines are requested
 */
public record ScalerOptions(
        @Nullable Path kubeconfig,
        ListenAddress listen,
        TlsSource tls,
        @Nullable ListenAddress operations,
        @Nullable ListenAddress page,
        Duration scanInterval,
        Duration batchWindow,
        String namespace,
        String identity,
        @Nullable URI notices,
        boolean dryRun,
        int priorityCutoff) {

    public ScalerOptions {
        require(
                !scanInterval.isNegative() && !scanInterval.isZero(),
                "scan interval %s must be positive",
                scanInterval);
        require(!batchWindow.isNegative(), "batch window %s must not be negative", batchWindow);
        require(!namespace.isBlank(), "namespace must not be empty");
        require(!identity.isBlank(), "identity must not be empty");
    }

    /**
     * Returns the default options: a scan every 10 s, a batch window of 200 ms, namespace {@code trainyard-system}, this process's
     * identity.
     */
    public static ScalerOptions of(@Nullable Path kubeconfig, ListenAddress listen, Path tlsDirectory) {
        return new ScalerOptions(
                kubeconfig,
                listen,
                TlsSource.directory(tlsDirectory),
                null,
                null,
                Duration.ofSeconds(10),
                Duration.ofMillis(200),
                Names.NAMESPACE,
                defaultIdentity(),
                null,
                false,
                Planner.DEFAULT_PRIORITY_CUTOFF);
    }

    /**
     * Returns the host's name (in Kubernetes, the pod's) and a random suffix. A process ID would not distinguish replicas, since it is 1 in
     * every container.
     */
    public static String defaultIdentity() {
        var host = System.getenv("HOSTNAME");
        return (host == null || host.isBlank() ? "scaler" : host) + "-" + UUID.randomUUID();
    }

    private static void require(boolean holds, String message, Object... arguments) {
        if (!holds) {
            throw new IllegalArgumentException(message.formatted(arguments));
        }
    }
}
