package dev.trainyard.bench.load;

import dev.trainyard.bench.load.ClosedLoop.Prepared;
import dev.trainyard.bench.process.BenchException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * Open keep-alive TLS connections to one server. Each connection sends its next request as soon as its last one is answered. All
 * connections share one event loop thread. All methods must be called from one thread, which must not be the event loop thread.
 */
public final class Connections implements AutoCloseable {

    private static final long OPEN_SECONDS = 30;
    private static final long ANSWER_SECONDS = 30;

    private final Vertx vertx;
    private final NetClient client;
    private final List<ClosedLoop> loops;

    private Connections(Vertx vertx, NetClient client, List<ClosedLoop> loops) {
        this.vertx = vertx;
        this.client = client;
        this.loops = loops;
    }

    /** @param vertx an instance with a single event loop */
    static Connections open(Vertx vertx, Target target, List<Call> series, int count) {
        var client = vertx.createNetClient(options(target));
        var prepared = series.stream()
                .map(call -> new Prepared(call.kind(), Buffer.buffer(call.request())))
                .toList();
        var loops = new ArrayList<ClosedLoop>();
        for (int i = 0; i < count; i++) {
            var socket = awaited(client.connect(target.port(), "localhost"), OPEN_SECONDS);
            loops.add(new ClosedLoop(socket, prepared, series.size() * i / count));
        }
        return new Connections(vertx, client, List.copyOf(loops));
    }

    private static NetClientOptions options(Target target) {
        var options = new NetClientOptions()
                .setTcpNoDelay(true)
                .setSsl(true)
                .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(target.caPem())))
                .setHostnameVerificationAlgorithm("HTTPS");
        var own = target.client();
        if (own != null) {
            options.setKeyCertOptions(new PemKeyCertOptions()
                    .addCertValue(Buffer.buffer(own.certificatePem()))
                    .addKeyValue(Buffer.buffer(own.keyPem())));
        }
        return options;
    }

    /**
     * Keeps all connections busy for {@code time}, and until each has sent all kinds of its requests. Then waits for the last answers. Each
     * connection continues its series of requests where its last run ended.
     *
     * @throws BenchException if an answer is not as expected, or a connection closes
     */
    public Load run(Duration time) {
        return run(loops, System.nanoTime() + time.toNanos(), Long.MAX_VALUE, time.toSeconds() + ANSWER_SECONDS);
    }

    /** Sends {@code requests} requests, one after the other, on the first connection. */
    public Load run(int requests) {
        return run(loops.subList(0, 1), Long.MAX_VALUE, requests, requests * ANSWER_SECONDS);
    }

    /**
     * Sends one request on the first connection.
     *
     * @return the answer's body
     */
    public byte[] ask() {
        run(1);
        return loops.get(0).lastBody();
    }

    private Load run(List<ClosedLoop> busy, long end, long most, long seconds) {
        long start = System.nanoTime();
        var runs = busy.stream().map(ClosedLoop::begin).toList();
        vertx.runOnContext(now -> busy.forEach(loop -> loop.send(end, most)));
        awaited(Future.all(runs), seconds);
        long nanos = System.nanoTime() - start;
        var byKind = new HashMap<String, Histogram>();
        busy.forEach(loop -> loop.latencies()
                .forEach((kind, latencies) -> byKind.merge(kind, latencies, (all, more) -> {
                    all.add(more);
                    return all;
                })));
        return new Load(nanos, byKind);
    }

    @Override
    public void close() {
        awaited(client.close(), ANSWER_SECONDS);
    }

    private static <T> T awaited(Future<T> future, long seconds) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            var cause = e.getCause() == null ? e : e.getCause();
            throw new BenchException("the server under load: " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new BenchException("the server under load has not answered within %d s".formatted(seconds), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
