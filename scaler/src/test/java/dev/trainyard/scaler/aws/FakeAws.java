package dev.trainyard.scaler.aws;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsMaterial;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/**
 * AWS's Auto Scaling, EC2 and STS query APIs over HTTPS, with a certificate of its own authority. It keeps groups, counts calls, and can be
 * told to misbehave below HTTP's surface.
 */
final class FakeAws implements AutoCloseable {

    private static final CertificateAuthority AUTHORITY =
            CertificateAuthority.create("fake AWS", Duration.ofDays(1), Clock.systemUTC());
    private static final TlsMaterial TLS = tls();

    final Map<String, FakeGroup> groups = new LinkedHashMap<>();
    /** Calls by action, also those that were answered with an error. */
    final Map<String, Integer> calls = new TreeMap<>();
    /** Entries of an answer that comes in pages. */
    int pageSize = 100;
    /** What happens instead of an answer, or after it. */
    Fault fault = Fault.NONE;
    /** Called before a change is made, when the scaler cannot look again any more. */
    Runnable beforeChange = () -> {};

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final FakeQuery query;

    FakeAws(Clock clock) throws IOException {
        query = new FakeQuery(this, clock);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(TLS.sslContext()));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** An action and its parameters. */
    record Request(String action, Map<String, String> form) {}

    /** Whether something is done in place of an action. */
    @FunctionalInterface
    interface Fault {

        Fault NONE = (aws, exchange, request) -> false;

        /** @return whether the exchange has been dealt with */
        boolean strike(FakeAws aws, HttpExchange exchange, Request request) throws IOException;

        /** The same, and then none any more. */
        default Fault once() {
            return (aws, exchange, request) -> {
                boolean struck = strike(aws, exchange, request);
                if (struck) {
                    aws.fault = NONE;
                }
                return struck;
            };
        }

        /** Only for actions with a name like that. */
        default Fault on(String part) {
            return (aws, exchange, request) -> request.action().contains(part) && strike(aws, exchange, request);
        }

        static Fault error(int status, String code, String message) {
            return (aws, exchange, request) -> {
                aws.answer(exchange, status, FakeQuery.error(request.action(), code, message));
                return true;
            };
        }

        static Fault error(int status, String code, String message, String retryAfter) {
            return (aws, exchange, request) -> {
                exchange.getResponseHeaders().set("Retry-After", retryAfter);
                aws.answer(exchange, status, FakeQuery.error(request.action(), code, message));
                return true;
            };
        }

        /** The answer is cut off in the middle. */
        static Fault truncated() {
            return (aws, exchange, request) -> {
                var xml = aws.query.answer(request.action(), request.form()).xml();
                aws.answer(exchange, 200, xml.substring(0, xml.length() / 2));
                return true;
            };
        }

        /** The action is carried out, and its answer never arrives. */
        static Fault lostAnswer() {
            return (aws, exchange, request) -> {
                if (request.action().startsWith("Describe")) {
                    return false;
                }
                aws.query.answer(request.action(), request.form());
                exchange.close();
                return true;
            };
        }

        /** The connection ends instead of an answer. */
        static Fault reset() {
            return (aws, exchange, request) -> {
                exchange.close();
                return true;
            };
        }
    }

    URI url() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    FakeGroup group(String name, Clock clock) {
        return groups.computeIfAbsent(name, n -> new FakeGroup(n, clock));
    }

    int total() {
        return calls.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Settings that lead here, with little patience. */
    AwsSettings settings() {
        return settings(
                StaticCredentialsProvider.create(AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "x".repeat(40))));
    }

    AwsSettings settings(AwsCredentialsProvider credentials) {
        try {
            return new AwsSettings(
                    Optional.of(url()),
                    Optional.of(AwsSettings.trust(
                            new ByteArrayInputStream(AUTHORITY.certificatePem().getBytes(StandardCharsets.US_ASCII)))),
                    credentials,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofMillis(1));
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            var form = form(body);
            synchronized (this) {
                var action = form.getOrDefault("Action", "none");
                calls.merge(action, 1, Integer::sum);
                if (!fault.strike(this, exchange, new Request(action, form))) {
                    var answer = query.answer(action, form);
                    answer(exchange, answer.status(), answer.xml());
                }
            }
        }
    }

    void answer(HttpExchange exchange, int status, String xml) throws IOException {
        var bytes = xml.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/xml");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static Map<String, String> form(String body) {
        var form = new TreeMap<String, String>();
        for (var pair : body.split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                form.put(
                        pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return form;
    }

    private static TlsMaterial tls() {
        var leaf = AUTHORITY.issue(
                LeafRequest.forServer("localhost").withIpAddresses("127.0.0.1"),
                Clock.systemUTC().instant());
        return new TlsMaterial(AUTHORITY.certificatePem(), leaf.certificatePem(), leaf.keyPem(), AUTHORITY.notAfter());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
