package dev.trainyard.cli;

import dev.trainyard.runtime.server.ListenAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that the webhook, the extender and the scaler have in common. */
final class ComponentFlags {

    @Option(
            names = "--tls-dir",
            paramLabel = "DIR",
            required = true,
            description = "CA and certificate: ca.crt, ca.key, tls.crt, tls.key. Made when the directory is empty.")
    Path tlsDirectory = Path.of("");

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "How to reach the API server. Default: the cluster this runs in, or as kubectl would.")
    @Nullable
    Path kubeconfig;

    @Option(
            names = "--operations-listen",
            paramLabel = "HOST:PORT",
            description = "Where /healthz, /readyz and /metrics are answered (plain HTTP). Default: nowhere.")
    @Nullable
    ListenAddress operations;
}
