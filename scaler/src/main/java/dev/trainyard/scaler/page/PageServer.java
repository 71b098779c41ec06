package dev.trainyard.scaler.page;

import dev.trainyard.runtime.server.BlockingWait;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.ServerException;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of the status page and its JSON, on the loopback interface only. So other pods cannot reach the page. Users reach the page by
 * {@code kubectl port-forward}. The API server authenticates these users, so the page needs no password ({@code
 * docs/decisions/0039-the-status-page-is-served-on-loopback.md}).
 */
public final class PageServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("dev.trainyard.scaler.page");
    private static final int SECONDS = 30;
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String JSON = "application/json";

    /**
     * The response headers. With these headers, browsers load only files from this server. Inline code, content of other hosts, and HTML
     * that scripts make from strings are forbidden.
     */
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
                    + " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cache-Control",
            "no-store");

    private record File(String type, Buffer content) {
        static File of(String name, String type) {
            try (var in = PageServer.class.getResourceAsStream(name)) {
                return new File(
                        type, Buffer.buffer(Objects.requireNonNull(in, name).readAllBytes()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Map<String, File> files = Map.of(
            "/", File.of("page.html", "text/html; charset=utf-8"),
            "/page.css", File.of("page.css", "text/css; charset=utf-8"),
            "/page.js", File.of("page.js", SCRIPT),
            "/parts.js", File.of("parts.js", SCRIPT),
            "/charts.js", File.of("charts.js", SCRIPT),
            "/icon.svg", File.of("icon.svg", "image/svg+xml"));

    private final Vertx vertx;
    private final StatusPageState board;
    private final HttpServer server;

    private PageServer(Vertx vertx, ListenAddress address, StatusPageState board) {
        this.vertx = vertx;
        this.board = board;
        this.server = vertx.createHttpServer(
                        new HttpServerOptions().setCompressionSupported(true).setIdleTimeout(SECONDS))
                .requestHandler(this::handle);
        BlockingWait.upTo(
                SECONDS,
                server.listen(address.port(), address.host()),
                "the scaler cannot serve its status page on %s; choose a free port (0 selects one)".formatted(address));
        log.info("serving the status page url=http://{}", new ListenAddress(address.host(), port()));
    }

    /**
     * Starts a server, and returns when the server accepts connections. Must not be called on an event loop.
     *
     * @throws IllegalArgumentException if the address is not a loopback address
     * @throws ServerException if the address is not available
     */
    public static PageServer start(Vertx vertx, ListenAddress address, StatusPageState board) {
        requireLoopback(address);
        return new PageServer(vertx, address, board);
    }

    public int port() {
        return server.actualPort();
    }

    @Override
    public void close() {
        BlockingWait.upTo(SECONDS, server.shutdown(1, TimeUnit.SECONDS), "cannot stop the server of the status page");
    }

    private static void requireLoopback(ListenAddress address) {
        if (!isLoopback(address.host())) {
            throw new IllegalArgumentException(
                    ("the status page cannot be served on %s: the page does not authenticate callers, so it needs a loopback address,"
                                    + " such as 127.0.0.1:8090; reach the page by kubectl port-forward, or by an authenticating proxy in"
                                    + " the same pod")
                            .formatted(address));
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private void handle(HttpServerRequest request) {
        var response = request.response();
        HEADERS.forEach(response::putHeader);
        try {
            var stranger = stranger(request);
            if (stranger.isPresent()) {
                answer(response, 403, stranger.get());
            } else if (!request.method().equals(HttpMethod.GET)
                    && !request.method().equals(HttpMethod.HEAD)) {
                response.putHeader("Allow", "GET, HEAD");
                answer(response, 405, "method not allowed; the status page allows GET and HEAD");
            } else {
                answer(request);
            }
        } catch (RuntimeException e) { // otherwise the client would wait without end
            log.error("a request to the status page cannot be answered", e);
            answer(response, 500, "the request failed; the log of the scaler has the reason");
        }
    }

    private void answer(HttpServerRequest request) {
        var path = String.valueOf(request.path());
        var file = files.get(path);
        if (file != null) {
            request.response().putHeader("Content-Type", file.type()).end(file.content());
        } else if (path.equals("/status.json")) {
            json(request.response(), board::statusJson);
        } else if (path.equals("/machines.json")) {
            machines(request);
        } else {
            answer(request.response(), 404, "unknown path; known: /, /status.json, /machines.json?pool=NAME");
        }
    }

    private void machines(HttpServerRequest request) {
        MultiMap parameters;
        try {
            parameters = request.params();
        } catch (IllegalArgumentException e) {
            answer(
                    request.response(),
                    400,
                    "the query of /machines.json cannot be read: %s; write a per cent sign as %%25"
                            .formatted(e.getMessage()));
            return;
        }
        var pool = Objects.requireNonNullElse(parameters.get("pool"), "");
        var state = Objects.requireNonNullElse(parameters.get("state"), "");
        json(request.response(), () -> board.machinesJson(pool, state));
    }

    /** Writes the document on another thread, since the event loop must stay free to receive the extender's reports. */
    private void json(HttpServerResponse response, Callable<byte[]> document) {
        vertx.executeBlocking(document, false)
                .onSuccess(json -> response.putHeader("Content-Type", JSON).end(Buffer.buffer(json)))
                .onFailure(problem -> {
                    log.error("the status page cannot be written", problem);
                    answer(response, 500, "the status cannot be shown; the log of the scaler has the reason");
                });
    }

    /**
     * Returns why a request is refused although it came by loopback; empty if the request is allowed. If an authorised user opens a page
     * of another site in the same browser, that page must not read the status. The page could call this server by a host name of its own
     * site that resolves to the loopback address. If the page calls a local name instead, the browser marks the request as cross-site.
     */
    private static Optional<String> stranger(HttpServerRequest request) {
        var authority = request.authority();
        if (authority == null || !isLocalName(authority.host())) {
            return Optional.of(
                    "this status page answers only requests to localhost or 127.0.0.1; use kubectl port-forward");
        }
        var site = Objects.requireNonNullElse(request.getHeader("Sec-Fetch-Site"), "none");
        boolean visit = "navigate".equals(request.getHeader("Sec-Fetch-Mode"));
        return site.equals("none") || site.equals("same-origin") || visit
                ? Optional.empty()
                : Optional.of("this status page refuses requests from pages of other sites");
    }

    /** Whether the host is a local name. Uses no name server, since an attacker may control its answer. */
    private static boolean isLocalName(String host) {
        return host.equalsIgnoreCase("localhost")
                || host.equals("[::1]")
                || host.equals("::1")
                || host.matches("127(\\.\\d{1,3}){3}");
    }

    private static void answer(HttpServerResponse response, int status, String text) {
        response.setStatusCode(status).putHeader("Content-Type", TEXT).end(text + "\n");
    }
}
