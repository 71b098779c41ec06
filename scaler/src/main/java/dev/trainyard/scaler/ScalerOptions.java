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
 * How a scaler runs.
 *
 * @param kubeconfig null: the cluster that it runs in, else kubectl's choice
 * @param listen where it takes the extender's reports
 * @param tls certificates of that server
 * @param operations where it serves probes and metrics; null: nowhere
 * @param page where it serves the status page, on loopback; null: nowhere
 * @param scanInterval how often it looks when nothing happens
 * @param batchWindow how long it waits for a burst of events to end
 * @param namespace where Trainyard itself runs: its Lease, the ConfigMaps of simulated clouds, and pods that the webhook leaves alone
 * @param identity which replica it is; two that run at a time must not share one
 * @param notices where notices are posted, as incoming webhooks of Slack take them; a secret; null: nowhere
 * @param dryRun whether it only says what it would do: nothing is changed anywhere, and it stands for no election
 * @param priorityCutoff nothing is bought for pods of a lower priority
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

    /** Usual values: a scan every 10 s, a batch window of 200 ms, namespace {@code trainyard-system}, this process's identity. */
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

    /** The host's name (in Kubernetes, the pod's) and something that no other process has: in a container every process id is 1. */
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
