package dev.trainyard.runtime.server;

import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.TlsException;
import dev.trainyard.certs.TlsMaterial;
import dev.trainyard.runtime.log.RepetitionFilter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.SocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTPS server of one component: HTTP/1.1 over TLS 1.2 or 1.3, one event loop and a few worker threads. Changed and renewed
 * certificates are used without a restart: new connections use the new certificates, and open connections stay open. Thread-safe.
 */
public final class ComponentServer implements AutoCloseable {
    private static final int START_SECONDS = 30;
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final ServerOptions options;
    private final Credentials tls;
    private final Clock clock;
    private final RequestMetrics metrics;
    private final Logger log;
    private final RepetitionFilter novelty = new RepetitionFilter();
    private final Workers workers;
    private final Dispatcher dispatcher;
    private final HttpServer server;
    private final long timer;
    private volatile Runnable brokenOff = () -> {};
    private final String warmUpKey = UUID.randomUUID().toString(); // 122 bits of a cryptographic random generator
    private volatile TlsMaterial served;
    private Future<Boolean> lastReload = Future.succeededFuture(false); // guarded by this

    private ComponentServer(
            Vertx vertx, ServerOptions options, Credentials tls, Routes routes, MeterRegistry registry, Clock clock) {
        this.vertx = vertx;
        this.options = options;
        this.tls = tls;
        this.clock = clock;
        this.log = LoggerFactory.getLogger("dev.trainyard." + options.component() + ".server");
        this.metrics = new RequestMetrics(registry, options.component());
        this.served = tls.current();
        this.workers = new Workers(vertx, options.component());
        this.dispatcher = new Dispatcher(vertx, options, routes, workers, metrics, warmUpKey, log);
        this.server = vertx.createHttpServer(httpOptions(options, served))
                .requestHandler(dispatcher.router())
                .invalidRequestHandler(dispatcher::malformed)
                .connectionHandler(connection -> MalformedBodies.watch(connection, Dispatcher.LINGER_MILLIS))
                .exceptionHandler(this::connectionFailed);
        BlockingWait.upTo(
                START_SECONDS,
                server.listen(options.port(), options.host()),
                "the " + options.component() + " cannot listen on " + options.host() + ":" + options.port()
                        + "; choose an address of this machine and a free port (0 selects one)");
        Gauge.builder(
                        "trainyard.tls.expiry.timestamp.seconds",
                        this,
                        own -> own.served.notAfter().getEpochSecond())
                .tag("component", options.component())
                .register(registry);
        this.timer = vertx.setPeriodic(options.certificateCheck().toMillis(), tick -> reloadCertificates());
        log.info("listening url=https://{}:{} notAfter={}", options.host(), port(), served.notAfter());
    }

    /**
     * Starts the server, and returns when the server accepts connections. Must not be called on an event loop.
     *
     * @throws ServerException if the address cannot be bound
     */
    public static ComponentServer start(
            Vertx vertx, ServerOptions options, Credentials tls, Routes routes, MeterRegistry registry, Clock clock) {
        return new ComponentServer(vertx, options, tls, routes, registry, clock);
    }

    /** Returns the actual port, even if port 0 was requested. */
    public int port() {
        return server.actualPort();
    }

    /** Returns the address at which this process reaches its own server. */
    public SocketAddress localAddress() {
        boolean everywhere = Set.of("0.0.0.0", "::", "[::]").contains(options.host());
        return SocketAddress.inetSocketAddress(port(), everywhere ? "127.0.0.1" : options.host());
    }

    /**
     * Looks for new certificates now, in addition to the periodic checks of {@link ServerOptions#certificateCheck()}. If the check fails,
     * the problem is logged, and the last good certificates stay in use.
     *
     * @return a future that completes after new connections use the current certificates; true if the certificates changed
     */
    public synchronized Future<Boolean> reloadCertificates() {
        lastReload = lastReload.compose(before -> reload()); // one reload at a time; never fails
        return lastReload;
    }

    /** Returns a problem if the served certificate has expired; empty otherwise. */
    public Optional<String> certificateProblem() {
        var notAfter = served.notAfter();
        return clock.instant().isBefore(notAfter)
                ? Optional.empty()
                : Optional.of("the server's certificate expired at " + notAfter);
    }

    /**
     * Sets listeners for callers that disconnected before they got an answer. Both listeners run on the event loop and must not block.
     *
     * @param requests receives each request whose caller disconnected; the request may be incomplete
     * @param connections runs for each caller that disconnected during the TLS handshake
     */
    public void onUnanswered(Consumer<Request> requests, Runnable connections) {
        brokenOff = connections;
        dispatcher.onUnanswered(requests);
    }

    /** Returns the secret that marks the requests of this process to itself. */
    String warmUpKey() {
        return warmUpKey;
    }

    /** Returns the name of the component in metrics and log lines. */
    public String component() {
        return options.component();
    }

    /** Stops accepting connections, waits up to 10 s for running requests, and closes the server. */
    @Override
    public void close() {
        close(DRAIN);
    }

    public void close(Duration drain) {
        vertx.cancelTimer(timer);
        BlockingWait.upTo(
                drain.toSeconds() + START_SECONDS,
                reloaded().compose(last -> server.shutdown(drain.toMillis(), TimeUnit.MILLISECONDS)),
                "the " + options.component() + " cannot stop its server");
        workers.close();
        log.info("stopped listening");
    }

    private Future<Boolean> reload() {
        return vertx.executeBlocking(() -> {
                    tls.refresh(clock.instant());
                    return tls.current();
                })
                .compose(this::serve)
                .recover(problem -> {
                    reportOnce("the server cannot replace its certificate", problem, problem instanceof TlsException);
                    return Future.succeededFuture(false);
                });
    }

    private synchronized Future<Boolean> reloaded() {
        return lastReload;
    }

    private Future<Boolean> serve(TlsMaterial material) {
        if (material.equals(served)) {
            return Future.succeededFuture(false);
        }
        return server.updateSSLOptions(Tls.server(material, options.requireClientCertificate()))
                .map(done -> {
                    served = material;
                    novelty.forget();
                    log.info("serving new certificates notAfter={}", material.notAfter());
                    return true;
                });
    }

    private void connectionFailed(Throwable problem) {
        metrics.connectionFailed();
        if (isClosedByCaller(problem)) {
            brokenOff.run();
        }
        reportOnce("a connection failed before its first request", problem, true);
    }

    /** Whether the caller closed the connection. A failure with a certificate is an {@link SSLException} instead. */
    private static boolean isClosedByCaller(Throwable problem) {
        return !(problem instanceof SSLException);
    }

    /**
     * Logs a warning only for the first occurrence of a problem, because probes and scanners cause the same problem repeatedly. A metric
     * counts all failed connections.
     */
    private void reportOnce(String what, Throwable problem, boolean explained) {
        String reason = Objects.requireNonNullElse(problem.getMessage(), problem.toString());
        if (!novelty.isNew(what + reason)) {
            log.atDebug().addKeyValue("reason", reason).log("{} again", what);
        } else if (explained) {
            log.atWarn().addKeyValue("reason", reason).log(what);
        } else {
            log.atWarn().addKeyValue("reason", reason).setCause(problem).log(what);
        }
    }

    private static HttpServerOptions httpOptions(ServerOptions options, TlsMaterial material) {
        HttpServerOptions http = new HttpServerOptions();
        http.setSsl(true);
        http.setUseAlpn(false);
        http.setSslEngineOptions(new ServerTlsEngine(Tls.CIPHER_SUITES));
        http.setEnabledSecureTransportProtocols(Tls.PROTOCOLS);
        Tls.CIPHER_SUITES.forEach(http::addEnabledCipherSuite);
        http.setKeyCertOptions(Tls.keyCertificate(material));
        http.setClientAuth(Tls.clientAuth(options.requireClientCertificate()));
        if (options.requireClientCertificate()) {
            http.setTrustOptions(Tls.trust(material));
        }
        http.setIdleTimeout(Math.toIntExact(options.idleTimeout().toMillis()));
        http.setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
        return http;
    }
}
