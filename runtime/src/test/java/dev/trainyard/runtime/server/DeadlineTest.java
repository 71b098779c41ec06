package dev.trainyard.runtime.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeadlineTest {

    @TempDir
    private Path directory;

    private final AtomicInteger worked = new AtomicInteger();
    private final CountDownLatch busy = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);
    private ServerFixture fixture;

    @BeforeEach
    void start() {
        var routes = Routes.none()
                .post("/work", request -> {
                    worked.incrementAndGet();
                    return Response.text(200, "done");
                })
                .post("/block", request -> {
                    busy.countDown();
                    free.await();
                    return Response.text(200, "done");
                });
        fixture = new ServerFixture(directory, ServerFixture.OPTIONS, routes);
    }

    @AfterEach
    void stop() {
        free.countDown();
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource({
        "10s,10000",
        "1m,30000",
        "29s500ms,29500",
        "50ms,50",
        "0s,30000",
        "'',30000",
        "-1s,30000",
        "soon,30000",
        "99999999h,30000",
        "9999999999999s,30000"
    })
    void isWhatTheCallerSaysAndAtMostThirtySeconds(String timeout, long millis) {
        assertThat(Deadline.timeout(timeout)).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void aBodyThatDoesNotArriveInTimeIs408AndTheConnectionIsClosed() throws Exception {
        try (var connection = connect()) {
            connection.send("POST /work?timeout=50ms HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");

            assertThat(connection.receive())
                    .startsWith("HTTP/1.1 408 ")
                    .endsWith("\r\n\r\nthe request did not arrive within its timeout\n");
            assertThat(connection.isClosedByServer()).isTrue();
        }
        assertThat(worked).hasValue(0);
    }

    @Test
    void aRequestWhoseTurnComesTooLateIs504AndNotWorkedOn() throws Exception {
        try (var late = connect();
                var blocking = connect()) {
            // The answer 100 means that the server has read the head.
            late.send("POST /work?timeout=2s HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
            assertThat(late.receive()).startsWith("HTTP/1.1 100 ");
            // The timeout of 2 s is long enough for the blocking request to start before its end, even on a slow
            // machine.
            // Otherwise the answer would be 408.
            long passed = System.nanoTime() + Duration.ofSeconds(2).toNanos();
            blocking.send("POST /block HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
            busy.await();
            late.send("{}");
            while (System.nanoTime() - passed < 0) {
                Thread.onSpinWait();
            }
            free.countDown();

            assertThat(late.receive())
                    .startsWith("HTTP/1.1 504 ")
                    .endsWith("\r\n\r\nthe request timed out in the queue\n");
        }
        assertThat(worked).hasValue(0);
    }

    @Test
    void aRequestInTimeIsAnsweredAndTheNextOnTheSameConnectionToo() throws Exception {
        try (var connection = connect()) {
            for (int request = 0; request < 3; request++) {
                connection.send("POST /work?timeout=20s HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
                assertThat(connection.receive()).startsWith("HTTP/1.1 200 ");
            }
        }
        assertThat(worked).hasValue(3);
    }

    private RawConnection connect() throws IOException {
        return new RawConnection(fixture.tls.current().sslContextWithoutCertificate(), fixture.server.port());
    }
}
