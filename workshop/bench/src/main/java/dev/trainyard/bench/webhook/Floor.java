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
 * The floor: the HTTPS server of all components, whose handler takes the body and answers with bytes that it has at hand. What it costs,
 * no webhook on this server can save.
 */
public final class Floor {

    /** Says in the log that it is ready. */
    static final String READY = "listening url=";

    private Floor() {}

    /**
     * Runs until it is told to end.
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
                    request.body().getBytes(); // as every handler that reads it has to
                    return Response.json(answer);
                });
            }
        }
        return routes;
    }
}
