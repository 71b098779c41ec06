package dev.trainyard.bench.scoring;

import dev.trainyard.bench.process.BenchException;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.ExtenderComponent;
import dev.trainyard.extender.ExtenderOptions;
import dev.trainyard.extender.node.IndexFeed;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.score.PolicyName;
import dev.trainyard.runtime.server.HttpsClient;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.ServerVertx;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A complete extender in this process, started as in production, with a client that presents a certificate of the extender's CA. The
 * caller, in place of informers, updates the extender's index. Calls use HTTPS on loopback. All calls come from one thread, one after the
 * other, over one connection.
 */
final class InProcessExtender implements AutoCloseable {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
    private static final long START_SECONDS = 60;

    private final NodeIndex index = new NodeIndex(InstantSource.system());
    private final ExtenderComponent extender;
    private final Vertx vertx;
    private final Context loop;
    private final HttpsClient client;

    /** @param directory an empty directory for certificates */
    private InProcessExtender(Path directory, PolicyName policy) throws IOException {
        var tls = Files.createDirectories(directory.resolve("extender"));
        extender = ExtenderComponent.start(
                ExtenderOptions.withTls(tls)
                        .withListen(new ListenAddress("127.0.0.1", 0))
                        .withPolicy(policy),
                IndexFeed.driven(index, Catalogue.EMPTY.with(CpuPodsOnGpuNodes.ALWAYS)));
        vertx = ServerVertx.open();
        loop = vertx.getOrCreateContext();
        client = new HttpsClient(vertx, clientCertificate(tls, directory.resolve("scheduler")), CALL_TIMEOUT);
    }

    /** @throws BenchException if the extender does not start */
    static InProcessExtender start(Path directory, PolicyName policy) {
        try {
            var running = new InProcessExtender(directory, policy);
            running.await();
            return running;
        } catch (IOException e) {
            throw new BenchException("cannot prepare the extender's certificates in directory " + directory, e);
        }
    }

    /** Returns the extender's index, which the caller must update as informers would. */
    NodeIndex index() {
        return index;
    }

    /** @throws BenchException if the extender answers with another status than 200, or not at all */
    byte[] ask(String path, byte[] question) {
        var url = URI.create("https://127.0.0.1:" + extender.port() + path);
        var answer = new CompletableFuture<Response>();
        // All calls start on the same event loop, which then also owns the connection. If another thread called the
        // client directly, the client would use any loop. The answer could then arrive on a different loop, and its
        // body could be lost before it is read.
        loop.runOnContext(now -> client.post(url, Buffer.buffer(question))
                .onSuccess(answer::complete)
                .onFailure(answer::completeExceptionally));
        var response = wait("POST " + path, () -> answer.get(CALL_TIMEOUT.toSeconds() + 1, TimeUnit.SECONDS));
        if (response.status() != 200) {
            throw new BenchException("the extender answered %s with status %d: %s"
                    .formatted(path, response.status(), response.body().toString()));
        }
        return response.body().getBytes();
    }

    @Override
    public void close() {
        client.close();
        vertx.close().await();
        extender.close();
    }

    private void await() {
        try {
            wait("the start of the extender", () -> extender.ready().get(START_SECONDS, TimeUnit.SECONDS));
        } catch (BenchException e) {
            close();
            throw e;
        }
    }

    private interface Waiting<T> {
        T get() throws InterruptedException, ExecutionException, TimeoutException;
    }

    private static <T> T wait(String what, Waiting<T> waiting) {
        try {
            return waiting.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new BenchException(what + " failed: " + e.getMessage(), e);
        }
    }

    /** Issues a client certificate from the extender's own CA. The extender rejects certificates of other CAs. */
    private static TlsDirectory clientCertificate(Path extender, Path own) throws IOException {
        Files.createDirectories(own);
        for (var file : new String[] {"ca.crt", "ca.key"}) {
            Files.copy(extender.resolve(file), own.resolve(file));
        }
        return TlsDirectory.open(own, LeafRequest.forClient("trainyard-scheduler"), Clock.systemUTC());
    }
}
