package dev.trainyard.cli;

import dev.trainyard.core.Names;
import dev.trainyard.extender.ExtenderComponent;
import dev.trainyard.extender.ExtenderOptions;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.extender.score.PolicyName;
import dev.trainyard.runtime.server.ListenAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code trainyard extender}. */
@Command(
        name = "extender",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Runs the scheduler extender, which filters and scores nodes for the kube-scheduler beside it.",
        footer = {
            "",
            "Clients need a certificate from the CA of --scheduler-tls-dir. Without this option, clients need a certificate from the CA of --tls-dir or --tls-secret.",
            "The kube-scheduler needs the configuration in manifests/base/extender/scheduler-config.yaml."
        })
public final class ExtenderCommand implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger("dev.trainyard.extender");
    private static final int LOOK_SECONDS = 10;

    @Mixin
    private final ComponentFlags flags = new ComponentFlags();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8444",
            description =
                    "The address for calls of the scheduler; port 0 selects a free port. Default: ${DEFAULT-VALUE}.")
    private ListenAddress listen = new ListenAddress("127.0.0.1", 8444);

    @Option(
            names = "--resources",
            paramLabel = "FILE|DIR",
            description = "Read nodes, pods, pools and tiers from files instead of from the cluster.")
    private @Nullable Path resources;

    @Option(
            names = "--scaler-url",
            paramLabel = "URL",
            description =
                    "Report pods without a node to the scaler at this URL. Default: no reports; the scaler finds such pods later.")
    private @Nullable URI scalerUrl;

    @Option(
            names = "--policy",
            paramLabel = "fragmentation|pack|spread",
            defaultValue = "fragmentation",
            description = "The order of nodes whose pools are equally preferred. fragmentation: free GPUs stay usable "
                    + "for typical pods; pack: the fullest node first; spread: the emptiest node first. Default: "
                    + "${DEFAULT-VALUE}.")
    private PolicyName policy = PolicyName.FRAGMENTATION;

    @Option(
            names = "--scheduler-lease",
            paramLabel = "NAMESPACE/NAME",
            defaultValue = "trainyard-system/trainyard-scheduler",
            description =
                    "The Lease for leader election of the scheduler's replicas. A replica that stands by does not call "
                            + "the extender beside it. Default: ${DEFAULT-VALUE}.")
    private LeaseName schedulerLease = LeaseName.DEFAULT;

    @Option(
            names = "--scheduler-tls-dir",
            paramLabel = "DIR",
            description = "A directory shared with the scheduler beside this extender. There the extender creates a CA "
                    + "and the scheduler's client certificate, both valid for ten years. The same CA signs the "
                    + "extender's server certificate.")
    private @Nullable Path schedulerTls;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            defaultValue = Names.NAMESPACE,
            description =
                    "The namespace that Trainyard runs in. It has the Secret of --tls-secret. Default: ${DEFAULT-VALUE}.")
    private String namespace = Names.NAMESPACE;

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        var extender = ExtenderComponent.start(new ExtenderOptions(
                listen,
                flags.tls(),
                Optional.ofNullable(schedulerTls),
                Optional.ofNullable(flags.kubeconfig),
                Optional.ofNullable(resources),
                Optional.ofNullable(scalerUrl),
                policy,
                schedulerLease,
                Optional.ofNullable(flags.operations),
                namespace));
        Runtime.getRuntime().addShutdownHook(new Thread(extender::close, "extender-shutdown"));
        while (!isReadyWithin(extender, LOOK_SECONDS)) {
            log.warn("not ready yet: {}", extender.whyNotReady().orElse("").replace("\n", "; "));
        }
        new CountDownLatch(1).await(); // until SIGTERM or SIGINT
        return 0;
    }

    private static boolean isReadyWithin(ExtenderComponent extender, int seconds)
            throws InterruptedException, ExecutionException {
        try {
            extender.ready().get(seconds, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }
}
