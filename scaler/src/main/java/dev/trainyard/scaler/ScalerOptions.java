package dev.trainyard.scaler;

import dev.trainyard.core.Names;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a scaler runs.
 *
 * @param kubeconfig null: the cluster that it runs in, else kubectl's choice
 * @param listen where it takes the extender's reports
 * @param tlsDirectory certificates of that server; made there when the directory is empty
 * @param operations where it serves probes and metrics; null: nowhere
 * @param scanInterval how often it looks when nothing happens
 * @param batchWindow how long it waits for a burst of events to end
 * @param namespace where its Lease is, and the ConfigMaps of simulated clouds
 * @param identity which replica it is; two that run at a time must not share one
 */
public record ScalerOptions(
        @Nullable Path kubeconfig,
        Address listen,
        Path tlsDirectory,
        @Nullable Address operations,
        Duration scanInterval,
        Duration batchWindow,
        String namespace,
        String identity) {

    /** A host and a port; port 0 chooses a free one. */
    public record Address(String host, int port) {

        /** @throws IllegalArgumentException when {@code text} is not {@code HOST:PORT} */
        public static Address parse(String text) {
            int colon = text.lastIndexOf(':');
            try {
                int port = Integer.parseInt(text.substring(colon + 1));
                if (colon > 0 && port >= 0 && port <= 65535) {
                    return new Address(text.substring(0, colon), port);
                }
            } catch (NumberFormatException e) {
                // said below
            }
            throw new IllegalArgumentException("'%s' is not an address such as 127.0.0.1:8443".formatted(text));
        }
    }

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
    public static ScalerOptions of(@Nullable Path kubeconfig, Address listen, Path tlsDirectory) {
        return new ScalerOptions(
                kubeconfig,
                listen,
                tlsDirectory,
                null,
                Duration.ofSeconds(10),
                Duration.ofMillis(200),
                Names.NAMESPACE,
                defaultIdentity());
    }

    /** The host's name (in Kubernetes, the pod's) and the process id. */
    public static String defaultIdentity() {
        var host = System.getenv("HOSTNAME");
        return (host == null || host.isBlank() ? "scaler" : host) + "-"
                + ProcessHandle.current().pid();
    }

    private static void require(boolean holds, String message, Object... arguments) {
        if (!holds) {
            throw new IllegalArgumentException(message.formatted(arguments));
        }
    }
}
