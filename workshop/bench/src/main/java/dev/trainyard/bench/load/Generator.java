package dev.trainyard.bench.load;

import dev.trainyard.bench.process.BenchException;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes load, with a single thread for all connections: more would take from the server what it is to be measured with. */
public final class Generator implements AutoCloseable {

    private static final int STOP_SECONDS = 10;

    private final Vertx vertx = Vertx.vertx(new VertxOptions()
            .setEventLoopPoolSize(1)
            .setFileSystemOptions(
                    new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));

    /**
     * Opens connections, TLS handshakes included.
     *
     * @param series what each of them sends, again and again; each begins at another place of it
     * @throws BenchException when the server does not let them
     */
    public Connections open(Target target, List<Call> series, int count) {
        return Connections.open(vertx, target, series, count);
    }

    /** As {@link #open(Target, List, int)}, with one request only. */
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
