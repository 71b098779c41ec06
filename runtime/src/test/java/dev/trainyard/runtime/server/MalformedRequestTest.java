package dev.trainyard.runtime.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests that malformed requests are answered with status 4xx and one line, and leave no stack trace in the log. */
class MalformedRequestTest {

    @TempDir
    private Path directory;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private ServerFixture fixture;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(directory, ServerFixture.OPTIONS.withMaxBodyBytes(1000));
        log.start();
        root().addAppender(log);
    }

    @AfterEach
    void stop() {
        root().detachAppender(log);
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense                                                   | 400 | malformed request",
                "POST /echo HTTP/1.1;Content-Length: 1;Content-Length: 2;   | 400 | malformed request",
                "POST /echo HTTP/1.1;Content-Length: -1;                    | 400 | malformed request",
                "POST /echo HTTP/1.1;Content-Length: many;                  | 400 | malformed request",
                "POST /echo HTTP/1.1;No Colon;                              | 400 | malformed request",
                "POST /ec%zzho HTTP/1.1;Host: a;                            | 400 | malformed request",
                "POST /ech HTTP/1.1;Host: a;                                | 404 | unknown path; known: /echo",
                "GET /echo HTTP/1.1;Host: a;                                | 405 | method not allowed; /echo allows POST",
                "DELETE /echo HTTP/1.1;Host: a;                             | 405 | method not allowed; /echo allows POST",
                "BREW /echo HTTP/1.1;Host: a;                               | 405 | method not allowed; /echo allows POST",
                "OPTIONS * HTTP/1.1;Host: a;                                | 404 | unknown path",
                "POST /echo HTTP/1.1;Host: a;Content-Type: text/yaml;       | 415 | the Content-Type is not application/json",
                "POST /echo HTTP/1.1;Host: a;Content-Type: application/x-www-form-urlencoded; | 415 | the Content-Type is not",
                "POST /echo HTTP/1.1;Host: a;Content-Type: multipart/form-data; | 415 | the Content-Type is not",
                "POST /echo HTTP/1.1;Host: a;Content-Type: ,;               | 415 | the Content-Type is not",
                "POST /echo HTTP/1.1;Host: a;Content-Length: 1001;          | 413 | the request body is longer than 1000 bytes",
                "POST /echo HTTP/1.1;Host: a;Content-Length: 99999999999;   | 413 | the request body is longer than 1000 bytes",
            })
    void isAnsweredAndTheConnectionClosed(String head, int status, String message) throws Exception {
        expect(head.strip().replace(";", "\r\n") + "\r\n", status, message);
    }

    @Test
    void aQueryThatCannotBeDecodedHasNoParameters() throws Exception {
        for (var query : List.of("timeout=%zz", "timeout=%", "%zz=1&timeout=3s")) {
            try (var connection = connect()) {
                var request = "POST /timeout?%s HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}".formatted(query);
                assertThat(connection.send(request).receive())
                        .startsWith("HTTP/1.1 200 ")
                        .contains("none");
            }
        }
        assertThat(log.list).isEmpty();
    }

    @Test
    void aCallerThatGoesAwayInTheMiddleIsNoFaultOfOurs() throws Exception {
        try (var connection = connect()) {
            connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n");
            assertThat(connection.receive()).startsWith("HTTP/1.1 100 ");
            connection.send("{");
        }
        while (fixture.metrics.scrape().lines().noneMatch(line -> line.contains("status=\"499\""))) {
            Thread.onSpinWait();
        }
        assertThat(log.list).isEmpty();
    }

    @Test
    void longLinesAndHeadersAreRefused() throws Exception {
        expect("POST /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414, "the request line is too long");
        expect(
                "GET /status HTTP/1.1\r\nA: " + "x".repeat(10_000) + "\r\n\r\n",
                431,
                "the request headers are too long");
        expect("GET /status HTTP/1.1\r\n" + "A: x\r\n".repeat(5_000) + "\r\n", 431, "the request headers are too long");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense\r\n\r\n", "-1\r\n{}\r\n", "2\r\n{}\r\n0x2\r\n", "fffffffff\r\n{}", "\r\n{}"})
    void chunkWithoutASizeIsAnsweredAndTheConnectionClosed(String chunks) throws Exception {
        expect(
                "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
                400,
                "malformed request");

        assertThat(fixture.metrics.scrape())
                .contains(
                        "trainyard_http_requests_seconds_count{component=\"webhook\",path=\"/echo\",status=\"400\"} 1");
    }

    @Test
    void restOfALongMalformedBodyDoesNotLoseTheAnswer() throws Exception {
        try (var connection = connect()) {
            connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n"
                    + "x".repeat(100_000));

            assertThat(connection.receive()).startsWith("HTTP/1.1 400 ").endsWith("malformed request\n");
        }
    }

    @Test
    void aHeadRequestGetsNoBody() throws Exception {
        try (var connection = connect()) {
            assertThat(connection
                            .send("HEAD /nowhere HTTP/1.1\r\nHost: a\r\n\r\n")
                            .head())
                    .startsWith("HTTP/1.1 404 ");
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void everyWayToSendABodyIsUnderstood() throws Exception {
        try (var connection = connect()) {
            connection.send("POST /echo HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(connection.receive()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n");
            connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: Application/JSON;charset=utf-8\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n5\r\na\":1}\r\n0\r\n\r\n");
            assertThat(connection.receive()).startsWith("HTTP/1.1 200 ").endsWith("{\"a\":1}");
            connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n1"
                    + "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n2");
            assertThat(connection.receive()).endsWith("\r\n\r\n1");
            assertThat(connection.receive()).endsWith("\r\n\r\n2");
        }
    }

    @Test
    void aHandlerThatFailsAgainAndAgainLeavesOneStackTrace() throws Exception {
        try (var connection = connect()) {
            for (int time = 0; time < 20; time++) {
                connection.send("POST /fail HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
                assertThat(connection.receive()).startsWith("HTTP/1.1 500 ");
            }
        }
        assertThat(log.list)
                .filteredOn(event -> event.getThrowableProxy() != null)
                .hasSize(1);
        assertThat(log.list).hasSize(20);
    }

    @Test
    void aCallerThatGoesAwayIsCountedAsThat() throws Exception {
        try (var connection = connect()) {
            connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            assertThat(connection.receive()).startsWith("HTTP/1.1 100 ");
        }
        var count = "trainyard_http_requests_seconds_count{component=\"webhook\",path=\"/echo\",status=\"499\"} 1";
        while (!fixture.metrics.scrape().contains(count)) {
            Thread.onSpinWait(); // ended by the test's time limit if it fails
        }
    }

    private void expect(String request, int status, String message) throws Exception {
        try (var connection = connect()) {
            var response = connection.send(request).receive();

            assertThat(response).matches("(?s)HTTP/1.[01] " + status + " .*");
            assertThat(response.substring(response.indexOf("\r\n\r\n") + 4))
                    .startsWith(message)
                    .hasLineCount(1);
            assertThat(connection.isClosedByServer()).isTrue();
        }
        assertThat(log.list)
                .allMatch(event -> event.getThrowableProxy() == null)
                .noneMatch(event -> event.getLevel() == Level.ERROR);
        assertThat(fixture.jdkPost(fixture.tls.current().sslContextWithoutCertificate(), "/echo", "{}".getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(200);
    }

    private RawConnection connect() throws IOException {
        return new RawConnection(fixture.tls.current().sslContextWithoutCertificate(), fixture.server.port());
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }
}
