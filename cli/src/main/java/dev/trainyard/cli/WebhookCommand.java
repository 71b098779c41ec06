package dev.trainyard.cli;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.webhook.WebhookComponent;
import dev.trainyard.webhook.WebhookOptions;
import dev.trainyard.webhook.pod.GpuNames;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code trainyard webhook}. */
@Command(
        name = "webhook",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Runs the mutating admission webhook, which completes training pods as they are created.")
public final class WebhookCommand implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger("dev.trainyard.webhook");
    private static final Duration LOOK = Duration.ofSeconds(10);

    @Mixin
    private final ComponentFlags flags = new ComponentFlags();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "0.0.0.0:8443",
            description =
                    "The address that serves AdmissionReviews; port 0 selects a free port. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private ListenAddress listen;

    @Option(
            names = "--dns-name",
            paramLabel = "NAME",
            description = "A DNS name or IP address at which the API server calls the webhook; may be repeated. "
                    + "In a cluster: trainyard-webhook." + Names.NAMESPACE + ".svc.")
    private List<String> names = List.of();

    @Option(
            names = "--resources",
            paramLabel = "FILE|DIR",
            description = "Read pools, tiers and namespaces from files instead of from the cluster.")
    private @Nullable Path resources;

    @Option(
            names = "--webhook-configuration",
            paramLabel = "NAME",
            description =
                    "Write the CA into this MutatingWebhookConfiguration, and restore the CA if it is changed there.")
    private @Nullable String webhookConfiguration;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            defaultValue = Names.NAMESPACE,
            description =
                    "The namespace that Trainyard runs in. Pods in it are not changed. Default: ${DEFAULT-VALUE}.")
    private String namespace = "";

    @Option(
            names = "--gpu-alias",
            paramLabel = "NAME",
            description = "Another resource name that pods use to request GPUs; may be repeated. The match conditions "
                    + "of the MutatingWebhookConfiguration must contain the name too.")
    private List<String> aliases = List.of();

    @Option(
            names = "--drain",
            paramLabel = "SECONDS",
            defaultValue = "8",
            description = "How long to continue serving after SIGTERM, because the API server still sends requests for "
                    + "a while. Default: ${DEFAULT-VALUE}.")
    private int drainSeconds;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws InterruptedException {
        if (drainSeconds < 0) {
            throw new ParameterException(
                    command.commandLine(), "--drain: expected 0 or more seconds, but is %d".formatted(drainSeconds));
        }
        var options = new WebhookOptions(
                listen,
                flags.tls(),
                names,
                flags.kubeconfig,
                resources,
                webhookConfiguration,
                flags.operations,
                namespace,
                GpuNames.with(aliases));
        var component = WebhookComponent.start(options, Clock.systemUTC());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(component), "webhook-shutdown"));
        while (!component.awaitReady(LOOK)) {
            log.warn("not ready yet: {}", component.whyNotReady().orElse("").replace("\n", "; "));
        }
        System.out.println("webhook ready on " + component.url());
        System.out.flush();
        new CountDownLatch(1).await(); // until SIGTERM or SIGINT
        return 0;
    }

    private void stop(WebhookComponent component) {
        component.drain();
        log.info("draining for {} s", drainSeconds);
        try {
            TimeUnit.SECONDS.sleep(drainSeconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        component.close();
    }
}
