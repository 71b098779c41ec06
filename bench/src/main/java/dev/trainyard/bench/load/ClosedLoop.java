package dev.trainyard.bench.load;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import org.HdrHistogram.Histogram;

/** One connection that sends its request again as soon as the last one was answered. Runs on the connection's event loop. */
final class ClosedLoop {

    private final NetSocket socket;
    private final Buffer request;
    private final ResponseFraming framing = new ResponseFraming();
    private volatile Promise<Void> done = Promise.promise();
    private Histogram latencies = new Histogram(1);
    private long end;
    private long sent;

    ClosedLoop(NetSocket socket, byte[] request) {
        this.socket = socket;
        this.request = Buffer.buffer(request);
        socket.handler(this::received);
        socket.exceptionHandler(problem -> done.tryFail(problem));
        socket.closeHandler(closed -> done.tryFail("it closed a connection"));
    }

    /** To be called before {@link #sendUntil}, on any thread. @return complete when that is over */
    Future<Void> begin() {
        done = Promise.promise();
        return done.future();
    }

    /** Sends at least once, and begins no request after {@code end}, a {@link System#nanoTime()}. */
    void sendUntil(long end, Histogram latencies) {
        this.end = end;
        this.latencies = latencies;
        send();
    }

    /** Of the last answer. To be called after the loop is over. */
    byte[] lastBody() {
        return framing.lastBody();
    }

    private void send() {
        sent = System.nanoTime();
        socket.write(request);
    }

    private void received(Buffer bytes) {
        try {
            if (framing.ends(bytes.getBytes())) {
                long now = System.nanoTime();
                latencies.recordValue(now - sent);
                if (now < end) {
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
