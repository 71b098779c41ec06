package dev.trainyard.bench.load;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** One connection that sends the next request of its series as soon as the last one is answered. Runs on the connection's event loop. */
final class ClosedLoop {

    private static final int DIGITS = 3;

    /** A call with its request in a Vert.x buffer. */
    record Prepared(String kind, Buffer request) {}

    private final NetSocket socket;
    private final List<Prepared> series;
    private final int kinds;
    private final ResponseFraming framing = new ResponseFraming();
    private volatile Promise<Void> done = Promise.promise();
    private volatile Map<String, Histogram> latencies = Map.of();
    private int place;
    private long end;
    private long left;
    private long sent;

    /** @param place index of the first request in the series */
    ClosedLoop(NetSocket socket, List<Prepared> series, int place) {
        this.socket = socket;
        this.series = series;
        this.kinds = (int) series.stream().map(Prepared::kind).distinct().count();
        this.place = place;
        socket.handler(this::received);
        socket.exceptionHandler(problem -> done.tryFail(problem));
        socket.closeHandler(closed -> done.tryFail("a connection was closed before the end of the run"));
    }

    /**
     * Starts a new run. Call before {@link #send}, from any thread.
     *
     * @return a future that completes at the end of the run
     */
    Future<Void> begin() {
        done = Promise.promise();
        latencies = new HashMap<>();
        return done.future();
    }

    /**
     * Sends a request, and the next one after each answer. Stops after {@code most} requests, or after an answer that arrives at
     * {@code end} or later. On a busy machine, the first answers may arrive after the end, so each kind of request is answered at least once.
     *
     * @param end a time in {@link System#nanoTime()}
     */
    void send(long end, long most) {
        this.end = end;
        this.left = most;
        send();
    }

    /** Returns the body of the last answer. Call after the run has ended. */
    byte[] lastBody() {
        return framing.lastBody();
    }

    /** Returns the latencies since {@link #begin}, by kind. Call after the run has ended. */
    Map<String, Histogram> latencies() {
        return latencies;
    }

    private void send() {
        sent = System.nanoTime();
        socket.write(series.get(place).request());
    }

    private void received(Buffer bytes) {
        try {
            if (framing.ends(bytes.getBytes())) {
                long now = System.nanoTime();
                latencies
                        .computeIfAbsent(series.get(place).kind(), kind -> new Histogram(DIGITS))
                        .recordValue(now - sent);
                place = (place + 1) % series.size();
                if ((now < end || latencies.size() < kinds) && --left > 0) {
                    send();
                } else {
                    done.tryComplete();
                }
            }
        } catch (RuntimeException e) {
            done.tryFail(e);
            socket.close();
        }
    }
}
