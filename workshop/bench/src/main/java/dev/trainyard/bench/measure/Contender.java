package dev.trainyard.bench.measure;

import dev.trainyard.bench.load.Connections;
import dev.trainyard.bench.process.Server;
import java.time.Duration;

/** A server and the connections that keep it busy. Closing a contender closes only the connections. */
public record Contender(Server server, Connections connections) implements AutoCloseable {

    /** Puts the server under load for {@code time}. */
    MeasuredRound round(Duration time) {
        var before = server.cpu();
        var load = connections.run(time);
        var round = new MeasuredRound(load, server.cpu().minus(before));
        server.forgetLog();
        return round;
    }

    @Override
    public void close() {
        connections.close();
    }
}
