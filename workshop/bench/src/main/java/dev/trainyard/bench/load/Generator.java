package dev.trainyard.bench.load;

import dev.trainyard.bench.process.BenchException;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A load generator with a single thread for all connections. More threads would take CPU from the server under measurement. */
public final class Generator implements AutoCloseable {

    private static final int STOP_SECONDS = 10;

    private final Vertx vertx = Vertx.vertx(new VertxOptions()
            .setEventLoopPoolSize(1)
            .setFileSystemOptions(
                    new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));

    /**
     * Opens connections, TLS handshakes included.
     *
     * @param series requests that each connection repeats; each connection starts at a different index
     * @throws BenchException if a connection cannot be opened
     */
    public Connections open(Target target, List<Call> series, int count) {
        return Connections.open(vertx, target, series, count);
    }

    /** Opens connections that repeat one request; see {@link #open(Target, List, int)}. */
    public Connections open(Target target, byte[] request, int count) {
        return open(target, List.of(new Call("", request)), count);
    }

    @Override
    public void close() {
        try {
            vertx.close().await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new BenchException("the load generator did not stop within %d s".formatted(STOP_SECONDS), e);
        }
    }
}
