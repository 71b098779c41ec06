package dev.trainyard.e2e;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A loopback port that forwards to another port, or blocks. Thread-safe. */
final class Gate {

    private final NetClient client;
    private final NetServer server;
    private final int target;
    private final Set<NetSocket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile Future<?> way = Future.succeededFuture();
    private volatile boolean stuck;

    private Gate(Vertx vertx, int target) {
        this.target = target;
        this.client = vertx.createNetClient();
        this.server = vertx.createNetServer().connectHandler(this::accept);
    }

    /** Opens a gate. Closing {@code vertx} closes the gate. */
    static Gate to(int target, Vertx vertx) {
        var gate = new Gate(vertx, target);
        gate.server.listen(0, "127.0.0.1").await();
        return gate;
    }

    int port() {
        return server.actualPort();
    }

    /** Returns the number of connections so far. */
    int connections() {
        return connections.get();
    }

    /** Closes all connections. From then on, the gate accepts connections but forwards nothing. */
    void getStuck() {
        stuck = true;
        cut();
    }

    /** Closes all connections. From then on, the gate forwards new connections again. */
    void free() {
        stuck = false;
        cut();
    }

    /** Withholds the data of callers and the ends of their connections until the returned promise is completed, like a starved process. */
    Promise<Void> hold() {
        Promise<Void> held = Promise.promise();
        way = held.future();
        return held;
    }

    /** Closes all open connections. */
    void cut() {
        open.forEach(NetSocket::close);
    }

    private void accept(NetSocket caller) {
        connections.incrementAndGet();
        track(caller);
        if (stuck) {
            return;
        }
        caller.pause();
        client.connect(target, "127.0.0.1")
                .onSuccess(called -> {
                    track(called);
                    caller.handler(sent -> way.onSuccess(open -> called.write(sent)));
                    caller.endHandler(ended -> way.onSuccess(open -> called.end()));
                    caller.resume();
                    called.pipeTo(caller);
                })
                .onFailure(problem -> caller.close());
    }

    private void track(NetSocket socket) {
        open.add(socket);
        socket.closeHandler(closed -> open.remove(socket));
    }
}
