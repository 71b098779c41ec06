package dev.trainyard.extender;

import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.PeerDirectory;
import dev.trainyard.certs.Verifiers;
import dev.trainyard.core.Names;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.node.IndexFeed;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.KnownPods;
import dev.trainyard.extender.report.Reporter;
import dev.trainyard.extender.report.ScalerClient;
import dev.trainyard.extender.score.Scorer;
import dev.trainyard.extender.workload.TypicalWorkload;
import dev.trainyard.extender.workload.WorkloadLearner;
import dev.trainyard.extender.workload.WorkloadQueue;
import dev.trainyard.runtime.authority.TlsContext;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.health.Health;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.runtime.metrics.Metrics;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.HttpsClient;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.OperationsServer;
import dev.trainyard.runtime.server.ServerOptions;
import dev.trainyard.runtime.server.ServerVertx;
import dev.trainyard.runtime.server.WarmUp;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.netty.util.NetUtil;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running extender. */
public final class ExtenderComponent implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ExtenderComponent.class);
    private static final String NAME = "extender";
    /**
     * The limit of a request body, in bytes. It is enough for all Node objects of a large cluster, which a scheduler sends unless
     * {@code nodeCacheCapable} is set.
     */
    private static final int MAX_BODY_BYTES = 64 << 20;

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);
    private static final int WARM_UP_REQUESTS = 200;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final ComponentServer server;
    private final Health health;
    private final CompletableFuture<Void> ready;
    private OptionalInt operationsPort = OptionalInt.empty();

    /** @param fed a feed that the caller drives; empty to create one from the options */
    private ExtenderComponent(ExtenderOptions options, Optional<IndexFeed> fed) {
        try {
            var clock = Clock.systemUTC();
            var metrics = closing(new Metrics());
            var vertx = ServerVertx.open();
            open.push(() ->
                    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS));

            boolean inCluster = fed.isEmpty() && options.resources().isEmpty();
            Optional<KubernetesClient> api = inCluster || options.tls() instanceof TlsSource.InSecret
                    ? Optional.of(
                            closing(KubernetesClients.open(options.kubeconfig().orElse(null))))
                    : Optional.empty();
            Optional<KubernetesClient> cluster = inCluster ? api : Optional.empty();
            var tls = closing(options.tls()
                    .open(
                            leaf(options),
                            Verifiers.READ_FOR_THEMSELVES,
                            new TlsContext(api.orElse(null), options.namespace(), NAME, metrics.registry(), clock)));
            var served = served(options, tls, clock);
            var client = closing(new HttpsClient(vertx, tls, CALL_TIMEOUT));
            var self = served == tls ? client : closing(new HttpsClient(vertx, served, CALL_TIMEOUT));
            var feed = closing(fed.orElseGet(() -> feed(options, cluster, metrics, clock)));
            var index = feed.index();
            var known = new KnownPods();
            index.watch(known);
            var scorer = new Scorer(options.policy().with(TypicalWorkload.UNKNOWN));
            if (options.policy().learns()) {
                index.watch(new WorkloadLearner(lessons(options, scorer, inCluster)));
            }
            var filter = new Filter(clock);
            var duties = cluster.map(
                    to -> closing(ClusterDuties.begin(to, options, feed, filter, metrics.registry(), clock)));
            var listeners = duties.map(ClusterDuties::listeners).orElse(List.of());
            Consumer<String> unheard = duties.map(ClusterDuties::unheard).orElse(problem -> {});
            var trail = new PodLog();
            index.watch(trail);
            var verbs = new Verbs(
                    feed::catalogue,
                    index,
                    known,
                    filter,
                    scorer,
                    new AnswerDispatcher(
                            new ExtenderMetrics(metrics.registry(), feed),
                            reports(options, client, unheard, metrics, clock),
                            Stream.concat(listeners.stream(), Stream.of(trail)).toList(),
                            clock));
            server = closing(ComponentServer.start(
                    vertx,
                    ServerOptions.of(
                                    NAME,
                                    options.listen().host(),
                                    options.listen().port())
                            .withClientCertificates()
                            .withMaxBodyBytes(MAX_BODY_BYTES)
                            .withCertificateCheck(options.tls().timing().look()),
                    served,
                    verbs.routes(),
                    metrics.registry(),
                    clock));
            duties.ifPresent(to -> server.onUnanswered(
                    request -> to.unanswered(verbs.uidOf(request)), () -> to.unanswered(Optional.empty())));

            // Reading and writing names takes most of the time of a request, and all verbs share this code.
            var warmUp = warmUp(vertx, self, options, Verbs.CHOOSE);
            health = new Health()
                    .readiness("index", feed::problem)
                    .readiness("answers", warmUp)
                    .readiness("certificate", server::certificateProblem);
            options.operations().ifPresent(address -> {
                var operations =
                        closing(OperationsServer.start(vertx, NAME, address.host(), address.port(), health, metrics));
                operationsPort = OptionalInt.of(operations.port());
            });
            ready = CompletableFuture.allOf(
                    feed.complete(),
                    warmUp.start(WARM_UP_REQUESTS).toCompletionStage().toCompletableFuture());
            var url = new ListenAddress(options.listen().reachableHost(), server.port());
            var unused = ready.thenRun(() -> log.info("extender ready on https://{}", url));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Starts an extender. Returns when the extender accepts connections; {@link #ready()} completes when the extender is ready. Must not be
     * called on a Vert.x event loop. Exceptions have messages for the user.
     */
    public static ExtenderComponent start(ExtenderOptions options) {
        return new ExtenderComponent(options, Optional.empty());
    }

    /** Starts an extender as {@link #start(ExtenderOptions)} does, with a feed that the caller drives. The feed is closed with the extender. */
    public static ExtenderComponent start(ExtenderOptions options, IndexFeed feed) {
        return new ExtenderComponent(options, Optional.of(feed));
    }

    /** Returns the port that the extender listens on, also if port 0 was requested. */
    public int port() {
        return server.port();
    }

    /** Returns the port of health and metrics; empty if the options name no address for them. */
    public OptionalInt operationsPort() {
        return operationsPort;
    }

    /**
     * Returns a future that completes when the extender knows the whole cluster and has answered its own warm-up requests. Earlier requests
     * are answered from the known part of the cluster, and unknown nodes pass the filter.
     */
    public CompletableFuture<Void> ready() {
        return ready.copy();
    }

    /** Returns why the extender is not ready, one line per reason; empty if it is ready. */
    public Optional<String> whyNotReady() {
        var report = health.ready();
        return report.healthy() ? Optional.empty() : Optional.of(report.text().strip());
    }

    /** Stops all parts, in the reverse order of their start. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            var resource = open.pop();
            try {
                resource.close();
            } catch (Exception e) {
                log.warn("a part of the extender did not stop cleanly: {}", e.getMessage());
            }
        }
    }

    private <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    /**
     * Returns the consumer of learned workloads. In a cluster, a queue delays the workloads. Without a cluster, a workload is applied at
     * once, so that equal events always give equal results.
     */
    private Consumer<TypicalWorkload> lessons(ExtenderOptions options, Scorer scorer, boolean inCluster) {
        return inCluster
                ? closing(new WorkloadQueue(
                        workload -> scorer.adoptPrepared(options.policy().with(workload))))
                : workload -> scorer.adopt(options.policy().with(workload));
    }

    private WarmUp warmUp(Vertx vertx, HttpsClient client, ExtenderOptions options, String path) {
        return new WarmUp(vertx, client, server, options.listen().reachableHost(), path, WarmUpQuestion.body());
    }

    private static IndexFeed feed(
            ExtenderOptions options, Optional<KubernetesClient> cluster, Metrics metrics, Clock clock) {
        var index = new NodeIndex(clock);
        return cluster.map(client -> IndexFeed.fromCluster(client, index, metrics.registry()))
                .orElseGet(() -> IndexFeed.fromFiles(options.resources().orElseThrow(), index));
    }

    private static Consumer<UnplacedPod> reports(
            ExtenderOptions options, HttpsClient client, Consumer<String> unheard, Metrics metrics, Clock clock) {
        if (options.scalerUrl().isEmpty()) {
            return pod -> {};
        }
        var scaler = new ScalerClient(client, options.scalerUrl().get());
        return new Reporter(scaler::send, unheard, clock, metrics.registry())::report;
    }

    /**
     * Returns the certificates that the server shows. With {@code schedulerTls}, a separate CA signs them. This CA stays the same, because
     * the scheduler reads the CA file only at its start.
     */
    private static Credentials served(ExtenderOptions options, Credentials tls, Clock clock) {
        return options.schedulerTls()
                .<Credentials>map(directory ->
                        PeerDirectory.open(directory, LeafRequest.forClient(Names.SCHEDULER), leaf(options), clock))
                .orElse(tls);
    }

    /**
     * Returns the request for our certificate, which we use as a server and as a client of the scaler. The names include IP addresses,
     * because the scheduler beside us calls an IP address. Our warm-up calls the host that we listen on.
     */
    private static LeafRequest leaf(ExtenderOptions options) {
        var leaf = LeafRequest.forServerAndClient("trainyard-extender");
        var host = options.listen().reachableHost();
        boolean address = NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
        var service = "trainyard-extender." + options.namespace() + ".svc";
        return address
                ? leaf.withDnsNames("localhost", service).withIpAddresses("127.0.0.1", "::1", host)
                : leaf.withDnsNames("localhost", service, host).withIpAddresses("127.0.0.1", "::1");
    }
}
