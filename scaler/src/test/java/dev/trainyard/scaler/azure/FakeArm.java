package dev.trainyard.scaler.azure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsMaterial;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;

/**
 * Azure Resource Manager as far as the providers know it, over TLS. Stateful: what was begun ends when the test's clock says so. Bodies have
 * the shapes of the examples in Microsoft's published REST specification (ComputeRP, 2025-04-01), headers those that ARM's documentation
 * names.
 */
final class FakeArm implements AutoCloseable {

    static final String SUBSCRIPTION = "11111111-2222-3333-4444-555555555555";
    static final String GROUP = "rg-train";
    static final String LOCATION = "westeurope";
    static final ObjectMapper JSON = new ObjectMapper();

    private static final TlsMaterial TLS = tls();

    /** One kind of resource. */
    interface Part {
        /** @return null for what is no business of this part */
        Answer answer(Request request);

        /** Does what is due by now. */
        void advance(Instant now);
    }

    record Request(
            String method, String path, Map<String, String> query, Map<String, String> headers, ObjectNode body) {
        boolean is(String wanted, String pattern) {
            return method.equals(wanted) && path.matches("(?i)" + pattern);
        }
    }

    record Answer(int status, ObjectNode body, Map<String, String> headers) {
        static Answer of(int status, ObjectNode body) {
            return new Answer(status, body, new LinkedHashMap<>());
        }

        static Answer error(int status, String code, String message) {
            var body = JSON.createObjectNode();
            body.putObject("error").put("code", code).put("message", message);
            return of(status, body);
        }

        Answer with(String header, String value) {
            headers.put(header, value);
            return this;
        }
    }

    /** What goes wrong with a request instead of, or after, its being carried out. */
    enum Fault {
        /** The connection ends without an answer; nothing is done. */
        RESET,
        /** It is carried out, and the connection ends without an answer. */
        LOST_ANSWER,
        /** Half of the body, though all of it was announced. */
        CUT_SHORT,
        /** Half of the body, as if it were all. */
        HALF_JSON,
        /** No answer before the fake is closed. */
        HANGS,
        THROTTLED_WITH_RETRY_AFTER,
        THROTTLED,
        INTERNAL_ERROR,
        FORBIDDEN,
        TOKEN_EXPIRED
    }

    private record Trouble(Predicate<Request> of, Fault fault, boolean once) {}

    record Seen(Instant at, String bucket, String action, Request request) {}

    private final Clock clock;
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<Part> parts = new ArrayList<>();
    private final Deque<Trouble> troubles = new ArrayDeque<>();
    private final List<Seen> seen = new ArrayList<>();
    private final Map<String, Op> operations = new LinkedHashMap<>();
    private TokenBuckets buckets;
    private int troubled;
    Duration retryAfter = Duration.ofSeconds(40);

    /** @param failure null when it succeeds */
    record Op(Instant begun, Instant ends, ObjectNode failure) {}

    FakeArm(Clock clock) {
        this.clock = clock;
        try {
            server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setHttpsConfigurator(new HttpsConfigurator(TLS.sslContext()));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    FakeArm with(Part part) {
        parts.add(part);
        return this;
    }

    Clock clock() {
        return clock;
    }

    String endpoint() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    static SSLContext trust() {
        return TLS.sslContextWithoutCertificate();
    }

    static String caPem() {
        return TLS.caPem();
    }

    /** How many requests met with trouble. */
    synchronized int troubles() {
        return troubled;
    }

    /** From now on, until {@link #mend}. */
    synchronized void trouble(Predicate<Request> of, Fault fault) {
        troubles.add(new Trouble(of, fault, false));
    }

    synchronized void troubleOnce(Predicate<Request> of, Fault fault) {
        troubles.add(new Trouble(of, fault, true));
    }

    synchronized void mend() {
        troubles.clear();
    }

    /** From now on requests spend tokens, as Azure counts them. */
    synchronized void enforce(TokenBuckets limits) {
        buckets = limits;
    }

    synchronized List<Seen> seen() {
        return List.copyOf(seen);
    }

    synchronized Set<String> actions() {
        var actions = new TreeSet<String>();
        seen.forEach(call -> {
            actions.add(call.action());
            actions.addAll(Actions.linked(call.request()));
        });
        return actions;
    }

    synchronized void forget() {
        seen.clear();
    }

    synchronized void advance() {
        parts.forEach(part -> part.advance(clock.instant()));
    }

    /** An accepted change that ends then. */
    Answer accepted(int status, ObjectNode body, Duration takes, ObjectNode failure) {
        var id = "op-" + (operations.size() + 1);
        operations.put(id, new Op(clock.instant(), clock.instant().plus(takes), failure));
        var url =
                "%s/subscriptions/%s/providers/Microsoft.Compute/locations/%s/operations/%s?p=x&api-version=2025-04-01"
                        .formatted(endpoint(), SUBSCRIPTION, LOCATION, id);
        return Answer.of(status, body)
                .with("Azure-AsyncOperation", url)
                .with("Location", url + "&monitor=true")
                .with("Retry-After", "10");
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var request = request(exchange);
            Fault fault;
            Answer answer;
            synchronized (this) {
                advance();
                fault = fault(request);
                answer = fault == null
                                || fault == Fault.LOST_ANSWER
                                || fault == Fault.CUT_SHORT
                                || fault == Fault.HALF_JSON
                        ? answer(request)
                        : refusal(fault, request);
            }
            if (fault == Fault.HANGS) {
                closed.await();
            }
            if (answer == null || fault == Fault.LOST_ANSWER) {
                return;
            }
            write(exchange, answer, fault);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(HttpExchange exchange, Answer answer, Fault fault) throws IOException {
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        exchange.getResponseHeaders().set("Content-Type", "application/json; charset=utf-8");
        var body = answer.body() == null ? new byte[0] : JSON.writeValueAsBytes(answer.body());
        int sent = fault == Fault.CUT_SHORT || fault == Fault.HALF_JSON ? body.length / 2 : body.length;
        int announced = fault == Fault.HALF_JSON ? sent : body.length;
        exchange.sendResponseHeaders(answer.status(), announced == 0 ? -1 : announced);
        if (announced > 0) {
            exchange.getResponseBody().write(body, 0, sent);
            exchange.getResponseBody().flush();
        }
    }

    private Fault fault(Request request) {
        for (var trouble : List.copyOf(troubles)) {
            if (trouble.of().test(request)) {
                troubled++;
                if (trouble.once()) {
                    troubles.remove(trouble);
                }
                return trouble.fault();
            }
        }
        return null;
    }

    private Answer refusal(Fault fault, Request request) {
        return switch (fault) {
            case RESET, HANGS, LOST_ANSWER, CUT_SHORT, HALF_JSON -> null;
            case THROTTLED -> throttled();
            case THROTTLED_WITH_RETRY_AFTER -> throttled().with("Retry-After", Long.toString(retryAfter.toSeconds()));
            case INTERNAL_ERROR -> Answer.error(500, "InternalServerError", "Encountered internal server error.");
            case FORBIDDEN ->
                Answer.error(
                        403,
                        "AuthorizationFailed",
                        "The client 'abc' with object id 'abc' does not have authorization to perform action '%s' over scope '%s' or the scope is invalid."
                                .formatted(Actions.of(request), request.path()));
            case TOKEN_EXPIRED ->
                Answer.error(
                        401,
                        "ExpiredAuthenticationToken",
                        "The access token expiry UTC time is earlier than current UTC time.");
        };
    }

    private static Answer throttled() {
        var body = JSON.createObjectNode();
        var error = body.putObject("error");
        error.put("code", "OperationNotAllowed")
                .put(
                        "message",
                        "The server rejected the request because too many requests have been received for this subscription.");
        error.putArray("details")
                .addObject()
                .put("code", "TooManyRequests")
                .put("target", "HighCostGet30Min")
                .put("message", "{\"operationGroup\":\"HighCostGet30Min\",\"allowedRequestCount\":1317}");
        return Answer.of(429, body);
    }

    private Answer answer(Request request) {
        if (request.path().contains("/oauth2/") || request.path().contains("openid-configuration")) {
            return token(request);
        }
        var bucket = Actions.bucket(request);
        seen.add(new Seen(clock.instant(), bucket, Actions.of(request), request));
        if (!request.headers().getOrDefault("authorization", "").startsWith("Bearer token-")) {
            return Answer.error(
                    401,
                    "AuthenticationFailedMissingToken",
                    "Authentication failed. The 'Authorization' header is missing.");
        }
        if (buckets != null && !buckets.take(request, clock.instant())) {
            return throttled().with("Retry-After", "15");
        }
        if (request.is("GET", ".*/operations/[^/]+")) {
            return operation(request);
        }
        for (var part : parts) {
            var answer = part.answer(request);
            if (answer != null) {
                return answer.with(
                        "x-ms-ratelimit-remaining-resource",
                        "Microsoft.Compute/" + bucket + ";" + (buckets == null ? 300 : buckets.left(request)));
            }
        }
        return Answer.error(404, "ResourceNotFound", "The Resource '%s' was not found.".formatted(request.path()));
    }

    private Answer operation(Request request) {
        var id = request.path().substring(request.path().lastIndexOf('/') + 1);
        var op = operations.get(id);
        if (op == null) {
            return Answer.error(404, "NotFound", "The entity was not found.");
        }
        boolean over = !clock.instant().isBefore(op.ends());
        var body = JSON.createObjectNode();
        body.put("startTime", op.begun().toString()).put("name", id);
        body.put("status", !over ? "InProgress" : op.failure() == null ? "Succeeded" : "Failed");
        if (over) {
            body.put("endTime", op.ends().toString());
            if (op.failure() != null) {
                body.set("error", op.failure());
            }
        }
        return Answer.of(200, body);
    }

    /** Tokens for anybody; the issuer is this server. */
    private Answer token(Request request) {
        var body = JSON.createObjectNode();
        if (request.path().contains("openid-configuration")) {
            body.put("token_endpoint", endpoint() + "/tenant/oauth2/v2.0/token");
            body.put("authorization_endpoint", endpoint() + "/tenant/oauth2/v2.0/authorize");
            body.put("issuer", endpoint() + "/tenant/v2.0");
            return Answer.of(200, body);
        }
        seen.add(new Seen(clock.instant(), "token", "token", request));
        body.put("token_type", "Bearer")
                .put("expires_in", 3599)
                .put("access_token", "token-of-" + request.path().split("/")[1]);
        return Answer.of(200, body);
    }

    private static Request request(HttpExchange exchange) throws IOException {
        var query = new LinkedHashMap<String, String>();
        URI uri = exchange.getRequestURI();
        if (uri.getQuery() != null) {
            for (var pair : uri.getQuery().split("&")) {
                var parts = pair.split("=", 2);
                query.put(parts[0], parts.length > 1 ? parts[1] : "");
            }
        }
        var headers = new LinkedHashMap<String, String>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        var text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        var body = text.startsWith("{") ? (ObjectNode) JSON.readTree(text) : JSON.createObjectNode();
        return new Request(exchange.getRequestMethod(), uri.getPath(), query, headers, body);
    }

    private static TlsMaterial tls() {
        var authority = CertificateAuthority.create("fake ARM", Duration.ofDays(1), Clock.systemUTC());
        var pair = authority.issue(LeafRequest.forServer("fake-arm").withIpAddresses("127.0.0.1"), Instant.now());
        return new TlsMaterial(authority.certificatePem(), pair.certificatePem(), pair.keyPem(), Instant.MAX);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
