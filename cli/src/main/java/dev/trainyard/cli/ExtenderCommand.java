package dev.trainyard.cli;

import dev.trainyard.extender.Address;
import dev.trainyard.extender.ExtenderComponent;
import dev.trainyard.extender.ExtenderOptions;
import dev.trainyard.extender.filter.CpuPodsOnGpuNodes;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Runs the extender until the process is asked to end. */
@Command(
        name = "extender",
        mixinStandardHelpOptions = true,
        description = "Filters and scores nodes for the kube-scheduler, and reports pods left without a node.",
        footer = {
            "",
            "Only clients with a certificate signed by the CA of --tls-dir are answered. An empty directory is filled."
        })
final class ExtenderCommand implements Callable<Integer> {

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8444",
            converter = AddressConverter.class,
            description = "Where the scheduler finds it (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Address listen;

    @Option(
            names = "--tls-dir",
            paramLabel = "DIR",
            required = true,
            description = "ca.crt, tls.crt and tls.key; made when they are not there.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path tlsDirectory;

    @ArgGroup
    private @Nullable Source source;

    @Option(
            names = "--scaler-url",
            paramLabel = "URL",
            description = "Whom to tell of pods without a node (default: nobody; the scaler finds them later).")
    private @Nullable URI scalerUrl;

    @Option(
            names = "--cpu-pods-on-gpu-nodes",
            paramLabel = "never|last|always",
            defaultValue = "never",
            description =
                    "Whether pods that ask for no GPU may use GPU nodes outside their tier (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CpuPodsOnGpuNodes cpuPodsOnGpuNodes;

    @Option(
            names = "--operations-listen",
            paramLabel = "HOST:PORT",
            converter = AddressConverter.class,
            description = "Where to serve /healthz, /readyz and /metrics without TLS (default: nowhere).")
    private @Nullable Address operations;

    private static final class Source {

        @Option(
                names = "--kubeconfig",
                paramLabel = "FILE",
                description = "The cluster (default: the one it runs in, else what kubectl uses).")
        private @Nullable Path kubeconfig;

        @Option(
                names = "--resources",
                paramLabel = "FILE|DIR",
                description = "Nodes, pods, pools and tiers as YAML, instead of a cluster.")
        private @Nullable Path resources;
    }

    @Override
    public Integer call() throws InterruptedException {
        var extender = ExtenderComponent.start(new ExtenderOptions(
                listen,
                tlsDirectory,
                Optional.ofNullable(source).map(chosen -> chosen.kubeconfig),
                Optional.ofNullable(source).map(chosen -> chosen.resources),
                Optional.ofNullable(scalerUrl),
                cpuPodsOnGpuNodes,
                Optional.ofNullable(operations)));
        Runtime.getRuntime().addShutdownHook(new Thread(extender::close, "shutdown"));
        new CountDownLatch(1).await(); // until a signal runs the hook
        return 0;
    }

    private static final class AddressConverter implements ITypeConverter<Address> {
        @Override
        public Address convert(String text) {
            try {
                return Address.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
