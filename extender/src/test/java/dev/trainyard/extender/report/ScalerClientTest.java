package dev.trainyard.extender.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.HttpsClient;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.runtime.server.ServerOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with two replicas of the scaler behind an address that chooses one for each connection, as a Service does. */
class ScalerClientTest {

    @TempDir
    private Path directory;

    private final Vertx vertx = Vertx.vertx();
    private final AtomicInteger turnedAway = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private TlsDirectory tls;
    private ComponentServer standby;
    private ComponentServer leader;
    private NetServer service;
    private NetClient dialer;
    private HttpsClient https;

    @BeforeEach
    void start() throws Exception {
        tls = TlsDirectory.open(
                directory, LeafRequest.forServerAndClient("scaler").withIpAddresses("127.0.0.1"), Clock.systemUTC());
        standby = scaler(turnedAway, Response.text(UnplacedPod.ELSEWHERE, "stands by"));
        leader = scaler(taken, Response.text(202, "taken"));
        dialer = vertx.createNetClient();
        service = vertx.createNetServer()
                .connectHandler(this::pass)
                .listen(0, "127.0.0.1")
                .await(20, TimeUnit.SECONDS);
        https = new HttpsClient(vertx, tls, Duration.ofSeconds(20));
    }

    @AfterEach
    void stop() throws Exception {
        https.close();
        service.close().await(20, TimeUnit.SECONDS);
        standby.close(Duration.ZERO);
        leader.close(Duration.ZERO);
        vertx.close().await(20, TimeUnit.SECONDS);
    }

    @Test
    void findsTheOneThatLeadsAndStaysWithIt() throws Exception {
        var client = new ScalerClient(https, URI.create("https://127.0.0.1:" + service.actualPort()));
        for (int report = 0; report < 5; report++) {
            client.send(new UnplacedPod("uid-" + report, "team", "train", 0, Map.of()))
                    .await(20, TimeUnit.SECONDS);
        }

        assertThat(taken).hasValue(5);
        assertThat(turnedAway).as("the first two connections").hasValue(2);
        assertThat(connections.get())
                .as(
                        "the third is kept; another is made when a report comes before the last answer's connection is put back")
                .isBetween(3, 4);
    }

    private ComponentServer scaler(AtomicInteger calls, Response answer) {
        return ComponentServer.start(
                vertx,
                ServerOptions.of("scaler", "127.0.0.1", 0).withClientCertificates(),
                tls,
                Routes.none().post(UnplacedPod.PATH, request -> {
                    calls.incrementAndGet();
                    return answer;
                }),
                new SimpleMeterRegistry(),
                Clock.systemUTC());
    }

    /** Connects the first two callers to the standby replica, and all others to the leader. */
    private void pass(NetSocket caller) {
        caller.pause();
        int port = connections.incrementAndGet() <= 2 ? standby.port() : leader.port();
        dialer.connect(port, "127.0.0.1").onSuccess(scaler -> {
            scaler.pipeTo(caller);
            caller.pipeTo(scaler);
        });
    }
}
