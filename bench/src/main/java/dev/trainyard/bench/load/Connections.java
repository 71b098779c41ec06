package dev.trainyard.bench.load;

import dev.trainyard.bench.process.BenchException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * Open TLS connections to one server, kept alive. Each sends the same request as soon as its last one was answered. All of them share
 * one thread. Used from one thread, not that one.
 */
public final class Connections implements AutoCloseable {

    private static final long OPEN_SECONDS = 30;
    private static final long ANSWER_SECONDS = 30;
    private static final int DIGITS = 3;

    private final Vertx vertx;
    private final NetClient client;
    private final List<ClosedLoop> loops;

    private Connections(Vertx vertx, NetClient client, List<ClosedLoop> loops) {
        this.vertx = vertx;
        this.client = client;
        this.loops = loops;
    }

    /**
     * Opens them, TLS handshakes included.
     *
     * @param vertx with a single event loop
     *
     * @throws BenchException when the server does not let them
     */
    public static Connections open(Vertx vertx, Target target, byte[] body, int count) {
        var client = vertx.createNetClient(new NetClientOptions()
                .setTcpNoDelay(true)
                .setSsl(true)
                .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(target.caPem())))
                .setHostnameVerificationAlgorithm("HTTPS"));
        var request = target.request(body);
        var loops = new ArrayList<ClosedLoop>();
        for (int i = 0; i < count; i++) {
            var socket = awaited(client.connect(target.port(), "localhost"), OPEN_SECONDS);
            loops.add(new ClosedLoop(socket, request));
        }
        return new Connections(vertx, client, List.copyOf(loops));
    }

    /**
     * Keeps all connections busy for {@code time}, then waits for the last answers.
     *
     * @throws BenchException when an answer is not as expected, or a connection ends
     */
    public Load run(Duration time) {
        var latencies = new Histogram(DIGITS);
        long start = System.nanoTime();
        long end = start + time.toNanos();
        var runs = loops.stream().map(ClosedLoop::begin).toList();
        vertx.runOnContext(now -> loops.forEach(loop -> loop.sendUntil(end, latencies)));
        awaited(Future.all(runs), time.toSeconds() + ANSWER_SECONDS);
        return new Load(System.nanoTime() - start, latencies);
    }

    /** One request on the first connection. @return the answer's body */
    public byte[] ask() {
        var loop = loops.get(0);
        var answered = loop.begin();
        vertx.runOnContext(now -> loop.sendUntil(System.nanoTime(), new Histogram(DIGITS)));
        awaited(answered, ANSWER_SECONDS);
        return loop.lastBody();
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
