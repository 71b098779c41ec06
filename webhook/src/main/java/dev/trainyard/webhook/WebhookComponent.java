package dev.trainyard.webhook;

import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.Verifiers;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.authority.TlsContext;
import dev.trainyard.runtime.configuration.ClusterConfiguration;
import dev.trainyard.runtime.configuration.ConfigurationLog;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.health.Health;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.runtime.metrics.Metrics;
import dev.trainyard.runtime.namespace.ClusterNamespaces;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.HttpsClient;
import dev.trainyard.runtime.server.OperationsServer;
import dev.trainyard.runtime.server.ServerOptions;
import dev.trainyard.runtime.server.ServerVertx;
import dev.trainyard.runtime.server.WarmUp;
import dev.trainyard.webhook.admission.MutateHandler;
import dev.trainyard.webhook.admission.Rehearsal;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.registration.Registration;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running webhook, with all its parts from the API client to the HTTPS server. */
public final class WebhookComponent implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("dev.trainyard.webhook");
    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "[::]");
    private static final String NAME = "webhook";
    private static final int REHEARSALS = 100;
    private static final int WARM_UP_REQUESTS = 20;
    private static final Duration OWN_REQUEST_TIMEOUT = Duration.ofSeconds(5);
    private static final long READY_POLL_MILLIS = 50;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Health health = new Health();
    private final Credentials tls;
    private final ComponentServer server;
    private final OptionalInt operations;

    private WebhookComponent(WebhookOptions options, Clock clock) {
        try {
            var metrics = opened(new Metrics());
            var vertx = ServerVertx.open();
            open.push(() -> vertx.close().await(10, TimeUnit.SECONDS));
            var client = options.needsCluster() ? opened(KubernetesClients.open(options.kubeconfig())) : null;
            var registration = new AtomicReference<@Nullable Registration>();
            tls = opened(options.tls()
                    .open(
                            leaf(options),
                            verifiers(options, registration),
                            new TlsContext(client, options.namespace(), NAME, metrics.registry(), clock)));
            var files = options.resources() == null ? null : ResourceFiles.read(options.resources());
            var configuration =
                    opened(files == null ? ClusterConfiguration.watch(required(client)) : FileConfiguration.of(files));
            if (files != null) {
                ConfigurationLog.changed(Catalogue.EMPTY, configuration.current());
            }
            var namespaces = opened(
                    files == null
                            ? ClusterNamespaces.watch(required(client), metrics.registry())
                            : FileNamespaces.of(files));

            var decider = new PodDecider(options.namespace(), options.gpuNames());
            for (int time = 0; time < REHEARSALS; time++) {
                Rehearsal.run(decider);
            }
            var handler = new MutateHandler(decider, configuration, namespaces, metrics.registry());
            server = opened(ComponentServer.start(
                    vertx,
                    ServerOptions.of(
                                    NAME,
                                    options.listen().host(),
                                    options.listen().port())
                            .withCertificateCheck(options.tls().timing().look()),
                    tls,
                    handler.routes(),
                    metrics.registry(),
                    clock));
            var self = opened(new HttpsClient(vertx, tls, OWN_REQUEST_TIMEOUT));
            var warmUp = new WarmUp(vertx, self, server, ownName(options), MutateHandler.PATH, Rehearsal.review());
            warmUp.start(WARM_UP_REQUESTS);

            health.readiness("configuration", complete("pools and tiers", configuration::isComplete))
                    .readiness("namespaces", complete("namespaces", namespaces::isComplete))
                    .readiness("warm-up", warmUp)
                    .readiness("certificate", server::certificateProblem);
            if (options.webhookConfiguration() != null) {
                var kept = opened(Registration.keep(
                        required(client),
                        options.webhookConfiguration(),
                        options.gpuNames(),
                        tls,
                        options.tls().timing().lifetimes().settling(),
                        clock));
                registration.set(kept);
                health.readiness("registration", kept);
            }
            var address = options.operations();
            operations = address == null
                    ? OptionalInt.empty()
                    : OptionalInt.of(
                            opened(OperationsServer.start(vertx, NAME, address.host(), address.port(), health, metrics))
                                    .port());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Starts the webhook. Returns when the webhook accepts connections; {@link #awaitReady} waits until it is ready.
     *
     * @throws RuntimeException if the webhook cannot start; the message is for the user
     */
    public static WebhookComponent start(WebhookOptions options, Clock clock) {
        return new WebhookComponent(options, clock);
    }

    /** Returns the URL of the AdmissionReview endpoint. */
    public String url() {
        return "https://%s:%d%s".formatted(server.localAddress().host(), server.port(), MutateHandler.PATH);
    }

    public int port() {
        return server.port();
    }

    /** Returns the port of health probes and metrics; empty if the options name no address for them. */
    public OptionalInt operationsPort() {
        return operations;
    }

    /** Returns the CA that verifies the certificate of {@link #url()}, in PEM. */
    public String caPem() {
        return tls.caPem();
    }

    /** Returns why the webhook is not ready, one line per reason; empty if it is ready. */
    public Optional<String> whyNotReady() {
        var report = health.ready();
        return report.healthy() ? Optional.empty() : Optional.of(report.text().strip());
    }

    /** Waits until the webhook is ready. Returns false if the webhook is not ready within the given time. */
    public boolean awaitReady(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (whyNotReady().isPresent()) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(READY_POLL_MILLIS);
        }
        return true;
    }

    /** Reports not ready from now on, so that callers use other replicas. Requests are still served. */
    public void drain() {
        health.drain();
    }

    /** Finishes the requests in progress, then stops. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                log.warn("a part of the webhook did not stop cleanly: {}", e.toString());
            }
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    /**
     * Returns a check whether the callers trust a CA of ours. With a registration, the caller is the API server, which trusts the CAs in
     * the registration. Without a registration, we assume that callers read our CA for themselves.
     */
    private static Verifiers verifiers(WebhookOptions options, AtomicReference<@Nullable Registration> registration) {
        if (options.webhookConfiguration() == null) {
            return Verifiers.READ_FOR_THEMSELVES;
        }
        return certificatePem -> {
            var kept = registration.get();
            return kept != null && kept.trust(certificatePem);
        };
    }

    private static KubernetesClient required(@Nullable KubernetesClient client) {
        return Objects.requireNonNull(client, "a Kubernetes client is required, but was not opened");
    }

    private static Health.Check complete(String what, BooleanSupplier isComplete) {
        return () -> isComplete.getAsBoolean() ? Optional.empty() : Optional.of(what + " are not read yet");
    }

    private static LeafRequest leaf(WebhookOptions options) {
        var names = Stream.concat(options.serverNames().stream(), Stream.of("localhost"));
        var addresses = Stream.of(options.listen().host(), "127.0.0.1").filter(address -> !WILDCARDS.contains(address));
        var all = Stream.concat(names, addresses).distinct().toList();
        return LeafRequest.forServer("trainyard-webhook")
                .withDnsNames(all.stream().filter(name -> !isAddress(name)).toArray(String[]::new))
                .withIpAddresses(
                        all.stream().filter(WebhookComponent::isAddress).toArray(String[]::new));
    }

    /** Returns the host name for requests of the webhook to itself. Our certificate is valid for this name. */
    private static String ownName(WebhookOptions options) {
        return options.serverNames().isEmpty()
                ? "localhost"
                : options.serverNames().get(0);
    }

    private static boolean isAddress(String name) {
        return name.contains(":") || name.matches("[0-9.]+");
    }
}
