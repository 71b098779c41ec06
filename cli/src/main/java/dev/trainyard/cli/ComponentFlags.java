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
                description = "A directory with the CA and the certificate: ca.crt, ca.key, tls.crt, tls.key. If the "
                        + "directory is empty, the files are created.")
        @Nullable
        Path directory;

        @Option(
                names = "--tls-secret",
                paramLabel = "NAME",
                description = "Instead of --tls-dir: the Secret with the CA that all replicas share. The Secret is in "
                        + "--namespace, and is created if missing.")
        @Nullable
        String secret;
    }

    TlsSource tls() {
        return tls.directory != null
                ? TlsSource.directory(tls.directory)
                : TlsSource.secret(Objects.requireNonNull(tls.secret, "--tls-dir and --tls-secret are both missing"));
    }

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "The kubeconfig file of the cluster. Default: the file that kubectl would use; without such "
                    + "a file, the cluster that this process runs in.")
    @Nullable
    Path kubeconfig;

    @Option(
            names = "--log-format",
            paramLabel = "text|json",
            description =
                    "The format of log lines: text for people, or json for one JSON object in each line. Default: text.")
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
