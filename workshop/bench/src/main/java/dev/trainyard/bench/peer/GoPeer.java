package dev.trainyard.bench.peer;

import dev.trainyard.bench.process.BenchProcesses;
import dev.trainyard.bench.process.QuietLogs;
import dev.trainyard.bench.process.Server;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.local.binaries.GoProgram;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The Go peer, a minimal webhook and extender as an operator in Go would have them: {@code net/http}, {@code encoding/json}, the types of
 * Kubernetes, and the JSON patch library of controller-runtime. Its sources are resources of this package.
 */
public final class GoPeer {

    private static final String NAME = "bench-peer";
    private static final List<String> SOURCES = List.of("go.mod", "go.sum", "main.go", "webhook.go", "extender.go");
    private static final String READY = "peer ready on ";
    private static final String HOST = "127.0.0.1";

    /** The components that the peer can stand for. */
    public enum Part {
        WEBHOOK("webhook"),
        EXTENDER("extender");

        private final String argument;

        Part(String argument) {
            this.argument = argument;
        }
    }

    private final Path program;

    private GoPeer(Path program) {
        this.program = program;
    }

    /**
     * Returns the peer, which is compiled on the first use. A benchmark without the peer is complete, so a peer that cannot be compiled is
     * no failure.
     *
     * @param progress receives the steps of the compilation, or the reason why there is no peer
     */
    public static Optional<GoPeer> find(Consumer<String> progress) {
        var sources = SOURCES.stream().collect(Collectors.toMap(Function.identity(), GoPeer::source));
        var program = GoProgram.of(NAME, sources, progress::accept);
        var whyNot = program.supply();
        whyNot.ifPresent(why -> progress.accept("no comparison with Go: " + why));
        return whyNot.isPresent() ? Optional.empty() : Optional.of(new GoPeer(program.file()));
    }

    /**
     * Starts the peer.
     *
     * @param tls directory for its certificates, with a CA of its own
     */
    public Server start(BenchProcesses site, String name, Part part, Path tls) {
        var certificate = LeafRequest.forServer("trainyard-peer")
                .withDnsNames("localhost")
                .withIpAddresses(HOST);
        var quiet = new QuietLogs();
        try {
            TlsDirectory.open(tls, certificate, Clock.systemUTC());
        } finally {
            quiet.close();
        }
        return site.start(name, List.of(program.toString(), part.argument, tls.toString()), READY);
    }

    private static byte[] source(String name) {
        try (InputStream file = Objects.requireNonNull(GoPeer.class.getResourceAsStream(name), name)) {
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
