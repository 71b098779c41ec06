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
 * @param kubeconfig the kubeconfig file. If null, the scaler uses the cluster that it runs in, or kubectl's configuration if it runs
 *     outside a cluster
 * @param listen the address for the extender's reports
 * @param tls the certificates of the server at {@code listen}
 * @param operations the address of probes and metrics; null for none
 * @param page the loopback address of the status page; null for none
 * @param scanInterval the time between two rounds (passes of the scaler's loop) if no event starts a round earlier
 * @param batchWindow how long a round waits after an event, so that one round handles a burst of events; the round waits longer while pods
 *     keep becoming pending
 * @param namespace the namespace that Trainyard itself runs in. The namespace contains the Lease and the ConfigMaps of simulated clouds.
 *     The webhook ignores pods in the namespace
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
     * Returns the default options: a scan every 10 s, a batch window of 200 ms, namespace {@code trainyard-system}, and the identity from
     * {@link #defaultIdentity}.
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
     * Returns the name of the host (in Kubernetes, of the pod) with a random suffix. A process ID could not distinguish replicas, since the
     * process ID is 1 in every container.
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
