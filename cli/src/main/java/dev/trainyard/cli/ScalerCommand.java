package dev.trainyard.cli;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.scaler.ScalerComponent;
import dev.trainyard.scaler.ScalerOptions;
import dev.trainyard.scaler.plan.Planner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code trainyard scaler}. */
@Command(
        name = "scaler",
        description = "Grows pools for pods that cannot be placed, and removes machines that are not needed.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ScalerCommand implements Callable<Integer> {

    @Mixin
    private final ComponentFlags flags = new ComponentFlags();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "0.0.0.0:8443",
            description =
                    "The address for the extender's reports of pods without a node (HTTPS, client certificates required)."
                            + " Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private ListenAddress listen;

    @Option(
            names = "--page-listen",
            paramLabel = "HOST:PORT",
            description = "The loopback address that serves the status page, such as 127.0.0.1:8090. Users reach the "
                    + "page with kubectl port-forward. Default: none.")
    private @Nullable ListenAddress page;

    @Option(
            names = "--scan-interval",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description =
                    "The time between two rounds of planning if nothing changes in the cluster. Default: ${DEFAULT-VALUE}.")
    private Duration scanInterval = Duration.ofSeconds(10);

    @Option(
            names = "--batch-window",
            paramLabel = "DURATION",
            defaultValue = "200ms",
            description = "How long to wait for further pods before a round, so that pods of one burst are planned "
                    + "together. If pods arrive slowly, the wait is up to 15 times as long. Default: ${DEFAULT-VALUE}.")
    private Duration batchWindow = Duration.ofMillis(200);

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            defaultValue = Names.NAMESPACE,
            description = "The namespace that Trainyard runs in. It has the scaler's Lease, the state of simulated "
                    + "clouds, and Trainyard's own pods. Default: ${DEFAULT-VALUE}.")
    private String namespace = Names.NAMESPACE;

    @Option(
            names = "--identity",
            paramLabel = "NAME",
            description = "The name of this replica in leader election. Each running replica needs a different name. "
                    + "Default: the host name and a random number.")
    private @Nullable String identity;

    @Option(
            names = "--notify-url-file",
            paramLabel = "FILE",
            description = "A file with the URL to which notices are posted, such as an incoming webhook of Slack. "
                    + "Default: the URL in the environment variable TRAINYARD_NOTIFY_URL, or no notices.")
    private @Nullable Path notifyUrlFile;

    @Option(
            names = "--dry-run",
            description = "Only log decisions: change nothing in the cluster or in clouds, and publish no Events or "
                    + "notices. This needs only rights to read, and is possible beside an active scaler.")
    private boolean dryRun;

    @Option(
            names = "--priority-cutoff",
            paramLabel = "PRIORITY",
            defaultValue = "" + Planner.DEFAULT_PRIORITY_CUTOFF,
            description = "Launch no machine for pods of a lower priority. Such pods may use capacity that other pods "
                    + "leave free. Default: ${DEFAULT-VALUE}, like Cluster Autoscaler's "
                    + "--expendable-pods-priority-cutoff.")
    private int priorityCutoff = Planner.DEFAULT_PRIORITY_CUTOFF;

    @Override
    public Integer call() throws InterruptedException {
        var options = new ScalerOptions(
                flags.kubeconfig,
                listen,
                flags.tls(),
                flags.operations,
                page,
                scanInterval,
                batchWindow,
                namespace,
                identity == null ? ScalerOptions.defaultIdentity() : identity,
                NotifyUrl.of(notifyUrlFile, System.getenv(NotifyUrl.VARIABLE)),
                dryRun,
                priorityCutoff);
        // Halts the process when this scaler is no longer the leader. System.exit would run shutdown hooks first, so
        // this scaler could still act beside the new leader.
        var component = ScalerComponent.start(
                options, SupportedClouds.ALL, () -> Runtime.getRuntime().halt(1));
        Runtime.getRuntime().addShutdownHook(new Thread(component::close, "shutdown"));
        new CountDownLatch(1).await();
        return 0;
    }
}
