package dev.trainyard.cli;

import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.log.Logging;
import dev.trainyard.runtime.server.ListenAddress;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The flags that the webhook, the extender and the scaler have in common. */
final class ComponentFlags {

    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Tls tls;

    private static final class Tls {
        @Option(
                names = "--tls-dir",
                paramLabel = "DIR",
                description =
                        "A directory of CA and certificate: ca.crt, ca.key, tls.crt, tls.key. If empty, the files are created.")
        @Nullable
        Path directory;

        @Option(
                names = "--tls-secret",
                paramLabel = "NAME",
                description =
                        "Instead of --tls-dir: the Secret of the CA that all replicas share, in --namespace. Created if missing.")
        @Nullable
        String secret;
    }

    TlsSource tls() {
        return tls.directory != null
                ? TlsSource.directory(tls.directory)
                : TlsSource.secret(Objects.requireNonNull(tls.secret, "one of the group is given"));
    }

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "How to reach the API server. Default: the cluster this runs in, or as kubectl would.")
    @Nullable
    Path kubeconfig;

    @Option(
            names = "--log-format",
            paramLabel = "text|json",
            description = "How log lines are written: for people, or one JSON object each. Default: text.")
    void logFormat(Logging.@Nullable Format format) {
        if (format != null) {
            Logging.format(format);
        }
    }

    @Option(
            names = "--operations-listen",
            paramLabel = "HOST:PORT",
            description = "The address that serves /healthz, /readyz and /metrics over plain HTTP. Default: none.")
    @Nullable
    ListenAddress operations;
}
