package dev.trainyard.bench.extender;

import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.runtime.metrics.Metrics;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.HttpsClient;
import dev.trainyard.runtime.server.RequestHandler;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.runtime.server.ServerOptions;
import dev.trainyard.runtime.server.ServerVertx;
import dev.trainyard.runtime.server.WarmUp;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The floor, a minimal extender for comparison. The floor runs on the HTTPS server of all Trainyard components, and gives the answers of
 * {@link Echo}. Like the extender, the floor demands a client certificate and warms itself up.
 */
public final class ExtenderFloor {

    /** The start of the log line that reports readiness. */
    static final String READY = "floor ready on ";

    private static final Logger log = LoggerFactory.getLogger(ExtenderFloor.class);
    private static final int WARM_UP_REQUESTS = 200;
    private static final int WARM_UP_NAMES = 100;
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);
    private static final String HOST = "127.0.0.1";

    private ExtenderFloor() {}

    /**
     * Runs until the process is terminated.
     *
     * @param arguments the TLS directory, and the verbs that warm up the server, separated by commas
     */
    public static void main(String[] arguments) throws IOException {
        var clock = Clock.systemUTC();
        var tls = TlsDirectory.open(
                Path.of(arguments[0]),
                LeafRequest.forServerAndClient("trainyard-floor")
                        .withDnsNames("localhost")
                        .withIpAddresses(HOST),
                clock);
        var vertx = ServerVertx.open();
        var server = ComponentServer.start(
                vertx,
                ServerOptions.of("floor", HOST, 0).withClientCertificates(),
                tls,
                Routes.none()
                        .post(Verb.CHOOSE.path(), handler(Verb.CHOOSE))
                        .post(Verb.FILTER.path(), handler(Verb.FILTER))
                        .post(Verb.PRIORITIZE.path(), handler(Verb.PRIORITIZE)),
                new Metrics().registry(),
                clock);
        var client = new HttpsClient(vertx, tls, CALL_TIMEOUT);
        Future<Void> warm = Future.succeededFuture();
        for (var verb : arguments[1].split(",", -1)) {
            var path = Verb.valueOf(verb).path();
            var warmUp = new WarmUp(vertx, client, server, HOST, path, warmUp());
            warm = warm.compose(done -> warmUp.start(WARM_UP_REQUESTS));
        }
        warm.onSuccess(done -> log.info("{}https://{}:{}", READY, HOST, server.port()));
    }

    private static RequestHandler handler(Verb verb) {
        return request -> {
            try {
                return Response.json(
                        Buffer.buffer(Echo.answer(verb, request.body().getBytes())));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private static Buffer warmUp() {
        var names = String.join(",", Collections.nCopies(WARM_UP_NAMES, "\"warm-up\""));
        return Buffer.buffer("{\"Pod\":{},\"Nodes\":null,\"NodeNames\":[%s]}".formatted(names));
    }
}
