package dev.trainyard.bench.webhook;

import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.runtime.metrics.Metrics;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.runtime.server.ServerOptions;
import dev.trainyard.runtime.server.ServerVertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.stream.Stream;

/**
 * The floor, a minimal server for comparison with the webhook. The floor runs on the HTTPS server of all Trainyard components, with a
 * handler that reads the body and returns a prepared answer. Any webhook on the same HTTPS server needs at least as much CPU time.
 */
public final class Floor {

    /** The start of the log field that reports readiness. */
    static final String READY = "listening url=";

    private Floor() {}

    /**
     * Runs until the process is terminated.
     *
     * @param arguments the TLS directory, and a directory of answers: {@code x.json} answers POSTs to {@code /x}
     */
    public static void main(String[] arguments) throws IOException {
        var tls = TlsDirectory.open(
                Path.of(arguments[0]),
                LeafRequest.forServer("trainyard-floor").withDnsNames("localhost"),
                Clock.systemUTC());
        ComponentServer.start(
                ServerVertx.open(),
                ServerOptions.of("floor", "127.0.0.1", 0),
                tls,
                answers(Path.of(arguments[1])),
                new Metrics().registry(),
                Clock.systemUTC());
    }

    private static Routes answers(Path directory) throws IOException {
        var routes = Routes.none();
        try (Stream<Path> files = Files.list(directory)) {
            for (var file : files.sorted().toList()) {
                var answer = Buffer.buffer(Files.readAllBytes(file));
                var name = file.getFileName().toString().replace(".json", "");
                routes = routes.post("/" + name, request -> {
                    request.body().getBytes(); // copies the body, as every real handler must
                    return Response.json(answer);
                });
            }
        }
        return routes;
    }
}
