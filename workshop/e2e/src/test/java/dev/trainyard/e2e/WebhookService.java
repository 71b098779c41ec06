package dev.trainyard.e2e;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A simulated Service for replicas of the webhook: a port that forwards connections to one of the ready replicas. Skips replicas that
 * refuse connections. Thread-safe.
 */
final class WebhookService implements AutoCloseable {

    private static final int PROBE_MILLIS = 200;

    /** The port and the readiness URL of a replica. */
    record Replica(int port, String operationsUrl) {}

    private final Vertx vertx = Vertx.vertx();
    private final NetClient client = vertx.createNetClient();
    private final NetServer server = vertx.createNetServer().connectHandler(this::accept);
    private final HttpClient prober =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
    private final ScheduledExecutorService probes = Executors.newSingleThreadScheduledExecutor();
    private final List<Replica> replicas;
    private final Set<Replica> ready = ConcurrentHashMap.newKeySet();

    WebhookService(List<Replica> replicas) {
        this.replicas = List.copyOf(replicas);
        server.listen(0, "127.0.0.1").await();
        var unused = probes.scheduleWithFixedDelay(
                () -> this.replicas.forEach(this::probe), 0, PROBE_MILLIS, TimeUnit.MILLISECONDS);
    }

    int port() {
        return server.actualPort();
    }

    /** Returns the number of replicas that were ready at the last probe. */
    int ready() {
        return ready.size();
    }

    @Override
    public void close() {
        probes.shutdownNow();
        vertx.close().await();
    }

    private void probe(Replica replica) {
        if (isReady(replica)) {
            ready.add(replica);
        } else {
            ready.remove(replica);
        }
    }

    private boolean isReady(Replica replica) {
        var request = HttpRequest.newBuilder(URI.create(replica.operationsUrl() + "/readyz"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return prober.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void accept(NetSocket caller) {
        caller.pause();
        var candidates = new ArrayList<>(ready);
        Collections.shuffle(candidates);
        connect(caller, candidates);
    }

    private void connect(NetSocket caller, List<Replica> candidates) {
        if (candidates.isEmpty()) {
            caller.close();
            return;
        }
        client.connect(candidates.get(0).port(), "127.0.0.1")
                .onSuccess(called -> {
                    caller.pipeTo(called);
                    called.pipeTo(caller);
                })
                .onFailure(problem -> connect(caller, candidates.subList(1, candidates.size())));
    }
}
