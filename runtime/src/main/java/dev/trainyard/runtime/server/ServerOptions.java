package dev.trainyard.runtime.server;

import java.time.Duration;

/**
 * The options of a {@link ComponentServer}.
 *
 * @param component {@code webhook}, {@code extender} or {@code scaler}, for log lines and metrics
 * @param host address to listen on
 * @param port port; 0 selects a free one
 * @param requireClientCertificate whether only clients with a certificate of our CA are served
 * @param maxBodyBytes limit for request bodies, in bytes; a longer body is answered with status 413
 * @param idleTimeout time after which connections without traffic are closed
 * @param certificateCheck interval between checks for new certificates
 */
public record ServerOptions(
        String component,
        String host,
        int port,
        boolean requireClientCertificate,
        int maxBodyBytes,
        Duration idleTimeout,
        Duration certificateCheck) {

    /** The time for which Go's HTTP client, as in kube-scheduler and kube-apiserver, keeps an idle connection for reuse. */
    private static final Duration GO_IDLE_TIMEOUT = Duration.ofSeconds(90);

    public ServerOptions {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " of the " + component + " must be 0 to 65535");
        }
        if (maxBodyBytes <= 0) {
            throw new IllegalArgumentException(
                    "the limit of " + maxBodyBytes + " bytes for a request body must be greater than 0");
        }
        if (idleTimeout.compareTo(GO_IDLE_TIMEOUT) <= 0) {
            throw new IllegalArgumentException("idle time-out " + idleTimeout
                    + " must be longer than the 90 s for which Kubernetes keeps a connection, or requests fail at"
                    + " random with \"connection reset\"");
        }
        if (certificateCheck.toMillis() < 1) {
            throw new IllegalArgumentException("certificate check interval " + certificateCheck + " must be positive");
        }
    }

    /** Returns the defaults: no client certificates, bodies up to 8 MiB, an idle timeout of 120 s, and a certificate check every 15 s. */
    public static ServerOptions of(String component, String host, int port) {
        return new ServerOptions(
                component, host, port, false, 8 << 20, Duration.ofSeconds(120), Duration.ofSeconds(15));
    }

    public ServerOptions withClientCertificates() {
        return new ServerOptions(component, host, port, true, maxBodyBytes, idleTimeout, certificateCheck);
    }

    public ServerOptions withMaxBodyBytes(int maxBodyBytes) {
        return new ServerOptions(
                component, host, port, requireClientCertificate, maxBodyBytes, idleTimeout, certificateCheck);
    }

    public ServerOptions withIdleTimeout(Duration idleTimeout) {
        return new ServerOptions(
                component, host, port, requireClientCertificate, maxBodyBytes, idleTimeout, certificateCheck);
    }

    public ServerOptions withCertificateCheck(Duration certificateCheck) {
        return new ServerOptions(
                component, host, port, requireClientCertificate, maxBodyBytes, idleTimeout, certificateCheck);
    }
}
