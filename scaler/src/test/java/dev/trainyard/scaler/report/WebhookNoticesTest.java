package dev.trainyard.scaler.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.trainyard.scaler.MovedClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebhookNoticesTest {

    private final MovedClock clock = new MovedClock();
    private final LinkedBlockingQueue<String> posted = new LinkedBlockingQueue<>();
    private final AtomicInteger status = new AtomicInteger(200);
    private HttpServer server;
    private WebhookNotices notices;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/secret", exchange -> {
            posted.add(new ObjectMapper()
                    .readTree(exchange.getRequestBody())
                    .get("text")
                    .asText());
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
        });
        server.start();
        notices = new WebhookNotices(
                URI.create("http://127.0.0.1:%d/secret"
                        .formatted(server.getAddress().getPort())),
                clock);
    }

    @AfterEach
    void close() {
        notices.close();
        server.stop(0);
    }

    @Test
    void saysTheSameOnceInHalfAnHour() throws InterruptedException {
        notices.tell("Pool p backs off: quota", List.of());
        clock.move(Duration.ofMinutes(29));
        notices.tell("Pool p backs off: quota", List.of("team/a"));
        clock.move(Duration.ofMinutes(1));
        notices.tell("Pool p backs off: quota", List.of());
        notices.close();
        assertThat(posted).containsExactly("Pool p backs off: quota", "Pool p backs off: quota");
    }

    @Test
    void namesUpToFivePodsAndOfMoreTheFirstFour() {
        assertThat(Notices.list(pods(5))).isEqualTo("team/p1, team/p2, team/p3, team/p4, team/p5");
        assertThat(Notices.list(pods(9))).isEqualTo("team/p1, team/p2, team/p3, team/p4, and 5 others");
    }

    @Test
    void aWebhookThatFailsOrHangsBlocksNobody() throws InterruptedException {
        status.set(500);
        for (int i = 0; i < 1000; i++) {
            notices.tell("notice " + i, pods(9));
        }
        assertThat(posted.poll(30, TimeUnit.SECONDS)).startsWith("notice 0\nPods: team/p1");
    }

    private static List<String> pods(int number) {
        return IntStream.rangeClosed(1, number).mapToObj(i -> "team/p" + i).toList();
    }
}
