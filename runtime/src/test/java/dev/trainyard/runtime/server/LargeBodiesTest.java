package dev.trainyard.runtime.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that large unfinished requests are limited, and that small ones are answered meanwhile. */
class LargeBodiesTest {

    private static final String LARGE =
            "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 300000\r\n\r\n";
    private static final String UNKNOWN =
            "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n";

    @TempDir
    private Path directory;

    private ServerFixture fixture;
    private final ArrayDeque<RawConnection> senders = new ArrayDeque<>();

    @BeforeEach
    void start() throws IOException {
        fixture = new ServerFixture(directory, ServerFixture.OPTIONS);
        for (int sender = 0; sender < 4; sender++) {
            var connection = connect();
            assertThat(connection.send(LARGE).receive()).startsWith("HTTP/1.1 100 ");
            senders.add(connection);
        }
    }

    @AfterEach
    void stop() throws IOException {
        for (var sender : senders) {
            sender.close();
        }
        fixture.close();
    }

    @Test
    void theFifthIsSentAwayAndSmallOnesAreAnswered() throws IOException {
        for (var head : new String[] {LARGE, UNKNOWN}) {
            try (var fifth = connect()) {
                assertThat(fifth.send(head).receive())
                        .startsWith("HTTP/1.1 503 ")
                        .endsWith("too many large requests at a time; smaller requests are still answered\n");
                assertThat(fifth.isClosedByServer()).isTrue();
            }
        }
        try (var small = connect()) {
            assertThat(small.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
                            .receive())
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void oneThatIsAnsweredMakesRoomForTheNext() throws IOException {
        var first = senders.remove();
        assertThat(first.send("x".repeat(300_000)).receive()).startsWith("HTTP/1.1 200 ");
        first.close();

        try (var next = connect()) {
            assertThat(next.send(LARGE).receive()).startsWith("HTTP/1.1 100 ");
        }
    }

    private RawConnection connect() throws IOException {
        return new RawConnection(fixture.tls.current().sslContextWithoutCertificate(), fixture.server.port());
    }
}
