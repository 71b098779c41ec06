package dev.trainyard.runtime.server;

import dev.trainyard.runtime.health.Health;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The requests that a component sends to itself before it reports ready, over TLS and with the host name that its callers use. The first
 * request to a cold process takes most of a second; without these requests, a caller would wait that long. The requests also detect a
 * certificate without the right name.
 *
 * <p>The requests are repeated every second until they succeed; until then, the readiness check reports the problem. No metric counts the
 * requests, and handlers can recognise them by {@link Request#warmUp()}.
 */
public final class WarmUp implements Health.Check {
    /** The header with {@link ComponentServer#warmUpKey()}. The header marks the requests of the process to itself. */
    static final String HEADER = "Trainyard-Warm-Up";

    private static final long RETRY_MILLIS = 1000;

    private final Logger log;
    private final Vertx vertx;
    private final HttpsClient client;
    private final ComponentServer server;
    private final URI url;
    private final Buffer body;
    private volatile boolean failed;
    private volatile Optional<String> problem = Optional.of("the server has not answered its own first request yet");

    /**
     * @param serverName DNS name or address that callers expect in the certificate
     * @param path path whose answer must have status 200
     */
    public WarmUp(
            Vertx vertx, HttpsClient client, ComponentServer server, String serverName, String path, Buffer body) {
        this.log = LoggerFactory.getLogger("dev.trainyard." + server.component() + ".server");
        this.vertx = vertx;
        this.client = client;
        this.server = server;
        this.url = URI.create("https://" + (serverName.contains(":") ? "[" + serverName + "]" : serverName) + ":"
                + server.port() + path);
        this.body = body;
    }

    /**
     * Sends a number of requests, one after the other. If a request fails, all of them are sent again. The future completes after the last
     * one was answered with 200.
     */
    public Future<Void> start(int requests) {
        return inARow(requests)
                .onSuccess(done -> {
                    problem = Optional.empty();
                    log.info("warm url={} requests={}", url, requests);
                })
                .recover(failure -> {
                    String reason = String.valueOf(failure.getMessage());
                    log.atLevel(failed ? Level.DEBUG : Level.WARN)
                            .addKeyValue("reason", reason)
                            .log("the server's request to itself failed and is repeated until it succeeds");
                    failed = true;
                    problem = Optional.of(reason);
                    return vertx.timer(RETRY_MILLIS).compose(again -> start(requests));
                });
    }

    @Override
    public Optional<String> problem() {
        return problem;
    }

    private Future<Void> inARow(int requests) {
        return requests == 0
                ? Future.succeededFuture()
                : client.postVia(server.localAddress(), url, Map.of(HEADER, server.warmUpKey()), body)
                        .compose(WarmUp::expectOk)
                        .compose(answered -> inARow(requests - 1));
    }

    private static Future<Void> expectOk(Response response) {
        return response.status() == 200
                ? Future.succeededFuture()
                : Future.failedFuture(new IOException("status " + response.status() + ": "
                        + response.body().toString().strip()));
    }
}
