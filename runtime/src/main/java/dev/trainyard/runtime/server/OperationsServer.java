package dev.trainyard.runtime.server;

import dev.trainyard.runtime.health.Health;
import dev.trainyard.runtime.metrics.Metrics;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A plain HTTP server for the kubelet and Prometheus, on a separate port. Its paths are {@code /healthz}, {@code /readyz} and
 * {@code /metrics}. The first two answer with status 200 and {@code ok}, or with 503 and one line for each failed check.
 */
public final class OperationsServer implements AutoCloseable {
    private static final int SECONDS = 30;

    /**
     * The idle timeout, in seconds. Prometheus keeps its connection from one scrape to the next, so the timeout is longer than the usual
     * interval between scrapes. Connections that are idle for longer than the timeout are closed, so that they cannot use up resources.
     */
    private static final int IDLE_SECONDS = 150;

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final HttpServer server;

    private OperationsServer(HttpServer server) {
        this.server = server;
    }

    /**
     * Starts the server, and returns when the server accepts connections. Must not be called on an event loop.
     *
     * @param component name of the component in log lines
     * @param port port; 0 selects a free one
     * @throws ServerException if the address cannot be bound
     */
    public static OperationsServer start(
            Vertx vertx, String component, String host, int port, Health health, Metrics metrics) {
        Logger log = LoggerFactory.getLogger("dev.trainyard." + component + ".server");
        Router router = Router.router(vertx);
        router.get("/healthz").handler(context -> answer(context.response(), health.alive()));
        router.get("/readyz").handler(context -> answer(context.response(), health.ready()));
        router.get("/metrics")
                .handler(context -> vertx.executeBlocking(metrics::scrape)
                        .onSuccess(text -> context.response()
                                .putHeader("Content-Type", PROMETHEUS)
                                .end(text))
                        .onFailure(problem -> {
                            log.error("metrics cannot be read", problem);
                            answer(
                                    context.response(),
                                    new Health.Report(false, "metrics cannot be read; see the log\n"));
                        }));
        router.errorHandler(
                404,
                context -> context.response()
                        .setStatusCode(404)
                        .putHeader("Content-Type", TEXT)
                        .end("unknown path; known: /healthz, /readyz, /metrics\n"));
        HttpServer server = vertx.createHttpServer(new HttpServerOptions().setIdleTimeout(IDLE_SECONDS))
                .requestHandler(router);
        BlockingWait.upTo(
                SECONDS,
                server.listen(port, host),
                "the " + component + " cannot serve probes and metrics on " + host + ":" + port
                        + "; choose an address of this machine and a free port (0 selects one)");
        log.info("serving probes and metrics url=http://{}:{}", host, server.actualPort());
        return new OperationsServer(server);
    }

    public int port() {
        return server.actualPort();
    }

    @Override
    public void close() {
        BlockingWait.upTo(
                SECONDS, server.shutdown(1, TimeUnit.SECONDS), "cannot stop the server for probes and metrics");
    }

    private static void answer(HttpServerResponse response, Health.Report report) {
        response.setStatusCode(report.healthy() ? 200 : 503)
                .putHeader("Content-Type", TEXT)
                .end(report.text());
    }
}
