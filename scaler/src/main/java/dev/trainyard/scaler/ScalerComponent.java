package dev.trainyard.scaler;

import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.Verifiers;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.runtime.authority.TlsContext;
import dev.trainyard.runtime.health.Health;
import dev.trainyard.runtime.kubernetes.EventRecorder;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.runtime.metrics.Metrics;
import dev.trainyard.runtime.namespace.ClusterNamespaces;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.OperationsServer;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.runtime.server.ServerOptions;
import dev.trainyard.runtime.server.ServerVertx;
import dev.trainyard.scaler.calls.CloudThreads;
import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.calls.NotLeading;
import dev.trainyard.scaler.calls.Pauses;
import dev.trainyard.scaler.cluster.KubernetesCluster;
import dev.trainyard.scaler.cluster.KubernetesGangObjects;
import dev.trainyard.scaler.cluster.KubernetesNoticedNodes;
import dev.trainyard.scaler.cluster.Watches;
import dev.trainyard.scaler.dryrun.DryCloud;
import dev.trainyard.scaler.dryrun.DryCluster;
import dev.trainyard.scaler.kwok.KwokProvider;
import dev.trainyard.scaler.leadership.FencedCloud;
import dev.trainyard.scaler.leadership.FencedCluster;
import dev.trainyard.scaler.leadership.Leadership;
import dev.trainyard.scaler.leadership.LeaseValidity;
import dev.trainyard.scaler.loop.ExtenderReports;
import dev.trainyard.scaler.loop.Loop;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.TimeLimitedReading;
import dev.trainyard.scaler.page.PageServer;
import dev.trainyard.scaler.page.StatusPageState;
import dev.trainyard.scaler.provider.CloudModule;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.queue.NoticeQueues;
import dev.trainyard.scaler.report.EventReporter;
import dev.trainyard.scaler.report.Notices;
import dev.trainyard.scaler.report.ReportChannels;
import dev.trainyard.scaler.report.WebhookNotices;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running scaler, with all its parts wired. */
public final class ScalerComponent implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ScalerComponent.class);

    /** The deadline of a call to a cloud. */
    private static final Duration CALL_DEADLINE = Duration.ofSeconds(30);

    /** The time limit to read one pod. Even the largest pod that the API server can store is read within milliseconds. */
    private static final Duration TIME_FOR_A_POD = Duration.ofSeconds(5);

    /** The time limit to read all changed pods of a round. */
    private static final Duration TIME_FOR_PODS = Duration.ofSeconds(30);

    /** The parts to close: the part that was started last is closed first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private int port;

    private ScalerComponent() {}

    /**
     * Starts a scaler and returns once the scaler listens. The first round runs after the scaler has become the leader and its watches have
     * listed all objects. In a dry run, the scaler does not become the leader, and its rounds change nothing.
     *
     * @param modules the clouds that pools may use, in addition to the simulated machines of kwok
     * @param onLeadershipLost runs if this scaler stops leading; must end the process, since another scaler may act from then on
     * @throws RuntimeException if the scaler cannot listen, or its certificates cannot be used; the message is for the user
     */
    public static ScalerComponent start(ScalerOptions options, List<CloudModule> modules, Runnable onLeadershipLost) {
        var component = new ScalerComponent();
        try {
            component.wire(options, modules, onLeadershipLost);
            return component;
        } catch (RuntimeException e) {
            component.close();
            throw e;
        }
    }

    /** Returns the port that accepts the extender's reports; 0 in a dry run. */
    public int port() {
        return port;
    }

    private void wire(ScalerOptions options, List<CloudModule> modules, Runnable onLeadershipLost) {
        var clock = Clock.systemUTC();
        var client = closing(KubernetesClients.open(options.kubeconfig()));
        var metrics = closing(new Metrics());
        var meters = new ScalerMetrics(metrics.registry());
        var health = new Health();
        var kwok = options.dryRun()
                ? KwokProvider.looking(client, options.namespace(), clock)
                : new KwokProvider(client, options.namespace(), clock);
        var providers = CloudModule.openAll(modules, options.dryRun(), clock);
        providers.put("kwok", kwok);
        providers.values().forEach(this::closing);

        // The loop's rounds read the watches and the clouds, so both must exist before the loop. But both also wake the
        // loop. So they get a reference to the loop that is set later.
        var loop = new AtomicReference<@Nullable Loop>();
        var leaseValidity = new LeaseValidity(System::nanoTime);
        var threads = new CloudThreads(CALL_DEADLINE);
        var clouds = new Clouds(
                clouds(options, providers, leaseValidity),
                meters,
                threads,
                Clouds.Timing.USUAL,
                clock,
                System::nanoTime,
                Pauses.REAL,
                () -> wake(loop, Loop::wake));
        var watches = closing(new Watches(
                client, metrics.registry(), () -> wake(loop, Loop::wake), () -> wake(loop, Loop::wakeForDemand)));
        var board = new StatusPageState(
                options.identity(),
                options.dryRun(),
                () -> watches.missing().or(() -> Optional.ofNullable(loop.get()).flatMap(Loop::stalled)),
                options.scanInterval(),
                clock);
        var reports = new ExtenderReports(() -> wake(loop, Loop::wakeForReport));
        var namespaces = closing(ClusterNamespaces.watch(client, metrics.registry()));
        var gangObjects = closing(new KubernetesGangObjects(client, () -> wake(loop, Loop::wake), System::nanoTime));
        var cluster = new KubernetesCluster(client, watches, namespaces, gangObjects, options.namespace(), meters);
        var queues = new NoticeQueues(
                modules, new KubernetesNoticedNodes(client, watches), leaseValidity::lasts, meters, clock);
        var round = new Round(
                options.dryRun() ? new DryCluster(cluster) : new FencedCluster(cluster, leaseValidity::lasts),
                options.dryRun() ? catalogue -> {} : catalogue -> queues.follow(catalogue.noticeQueues()),
                clouds,
                options.namespace(),
                closing(new TimeLimitedReading(TIME_FOR_A_POD, TIME_FOR_PODS)),
                (options.dryRun() ? ReportChannels.dry() : voice(options, client, reports, clock))
                        .withListener(onto(board)),
                meters,
                options.priorityCutoff());
        var rounds = new Loop(
                () -> round(watches, round, meters, board, options, clock),
                () -> watches.demandToCome(clock.instant()),
                options.scanInterval(),
                options.batchWindow(),
                clock);
        loop.set(rounds);
        health.liveness("rounds", rounds::stalled)
                .readiness("watches", watches::missing)
                // Rounds do not wait for the namespaces, since only the audit needs them.
                .readiness(
                        "namespaces",
                        () -> namespaces.isComplete()
                                ? Optional.empty()
                                : Optional.of(
                                        "not listed yet; the audit of pods that were admitted without the webhook starts when the namespaces are listed"));
        var vertx = ServerVertx.open();
        closing(() -> vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS));
        if (options.operations() != null) {
            closing(OperationsServer.start(
                    vertx,
                    "scaler",
                    options.operations().host(),
                    options.operations().port(),
                    health,
                    metrics));
        }
        if (options.page() != null) {
            closing(PageServer.start(vertx, options.page(), board));
        }
        if (options.dryRun()) {
            closing(threads);
            closing(rounds);
            rounds.start();
            log.info("dry run: the scaler changes nothing and logs each decision with the prefix [dry run]");
            return;
        }
        port = takeReports(options, vertx, reports, metrics, health, client, clock);
        closing(new Leadership(
                client,
                options.namespace(),
                options.identity(),
                leaseValidity,
                board::leads,
                () -> {
                    kwok.start();
                    rounds.start();
                    reports.lead();
                },
                () -> rounds.isAtRest() && clouds.isAtRest(),
                onLeadershipLost));
        // These parts are closed before the Lease is released, since parts are closed in reverse order.
        closing(threads);
        closing(queues);
        closing(rounds);
        log.info(
                "scaler ready on https://{}", new ListenAddress(options.listen().host(), port));
    }

    private ReportChannels voice(ScalerOptions options, KubernetesClient client, ExtenderReports reports, Clock clock) {
        var events = closing(new EventRecorder(client, "trainyard-scaler", options.identity(), clock));
        var notices = options.notices() == null ? Notices.NONE : closing(new WebhookNotices(options.notices(), clock));
        return new ReportChannels(events::record, notices, reports::reasons, false);
    }

    private int takeReports(
            ScalerOptions options,
            Vertx vertx,
            ExtenderReports reports,
            Metrics metrics,
            Health health,
            KubernetesClient client,
            Clock clock) {
        var tls = closing(options.tls()
                .open(
                        LeafRequest.forServer("trainyard-scaler")
                                .withDnsNames(
                                        "localhost",
                                        "trainyard-scaler",
                                        "trainyard-scaler." + options.namespace() + ".svc")
                                .withIpAddresses("127.0.0.1"),
                        Verifiers.READ_FOR_THEMSELVES,
                        new TlsContext(client, options.namespace(), "scaler", metrics.registry(), clock)));
        var server = closing(ComponentServer.start(
                vertx,
                ServerOptions.of(
                                "scaler",
                                options.listen().host(),
                                options.listen().port())
                        .withClientCertificates()
                        .withCertificateCheck(options.tls().timing().look()),
                tls,
                Routes.none().post(UnplacedPod.PATH, reports::take),
                metrics.registry(),
                clock));
        health.readiness("certificate", server::certificateProblem);
        return server.port();
    }

    private static Map<String, CloudProvider> clouds(
            ScalerOptions options, Map<String, CloudProvider> real, LeaseValidity leaseValidity) {
        var clouds = new HashMap<String, CloudProvider>();
        real.forEach((name, provider) -> clouds.put(
                name, options.dryRun() ? new DryCloud(provider) : new FencedCloud(provider, leaseValidity::lasts)));
        return clouds;
    }

    private static void wake(AtomicReference<@Nullable Loop> loop, Consumer<Loop> how) {
        var running = loop.get();
        if (running != null) {
            how.accept(running);
        }
    }

    /**
     * Returns a reporter that shows reports on the status page. Reports about pods are left out, since the page shows the reason next to
     * each pending pod.
     */
    private static EventReporter onto(StatusPageState board) {
        return (about, type, reason, action, message) -> {
            if (!(about instanceof Pod)) {
                board.told(
                        about.getKind(),
                        about.getMetadata().getName(),
                        type == EventRecorder.Type.WARNING,
                        reason,
                        message);
            }
        };
    }

    private static Optional<Instant> round(
            Watches watches,
            Round round,
            ScalerMetrics meters,
            StatusPageState board,
            ScalerOptions options,
            Clock clock) {
        if (watches.missing().isPresent()) {
            return Optional.empty();
        }
        var started = System.nanoTime();
        try {
            var result = round.run(clock::instant);
            if (options.page() != null) {
                board.observed(result.snapshot(), result.plan(), result.verdicts());
            }
            return result.next();
        } catch (NotLeading e) {
            log.warn("a round was stopped: {}", e.getMessage());
            return Optional.empty();
        } catch (RuntimeException e) {
            meters.failedRound();
            board.failed(String.valueOf(e.getMessage()));
            throw e;
        } finally {
            meters.rounds().record(Duration.ofNanos(System.nanoTime() - started));
        }
    }

    private <T extends AutoCloseable> T closing(T part) {
        parts.push(part);
        return part;
    }

    /** Stops the scaler. The Lease is released only if the current round and all cloud requests end in time. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                log.warn("a part of the scaler did not stop cleanly: {}", String.valueOf(e.getMessage()));
            }
        }
    }
}
