package dev.trainyard.runtime.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.trainyard.runtime.log.RepetitionFilter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.ext.web.handler.PlatformHandler;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The dispatcher of requests to their handlers. The dispatcher answers every error with a short text. */
final class Dispatcher {
    /** The customary status in metrics for a caller that disconnected before it got an answer. This status is never sent. */
    private static final int CLIENT_CLOSED_REQUEST = 499;

    private static final int BAD_REQUEST = 400;
    private static final int UNAVAILABLE = 503;

    /**
     * The time after an answer, in nanoseconds, within which a disconnect means that the caller gave up before the answer. Clients that
     * keep connections, such as Go's, do not close a connection so soon after an answer. Such a disconnect occurs if this process got no
     * CPU time for a while, and then reads the request and the disconnect together.
     */
    private static final long GAVE_UP_NANOS = 100_000_000;

    /** The time, in milliseconds, for which a connection stays open after an answer that was sent before the whole request had arrived. */
    static final long LINGER_MILLIS = 500;

    private static final String JSON = "application/json";

    private final Vertx vertx;
    private final ServerOptions options;
    private final Routes routes;
    private final Workers workers;
    private final RequestMetrics metrics;
    private final String warmUpKey;
    private final Logger log;
    private final RepetitionFilter novelty = new RepetitionFilter();
    private volatile @Nullable Consumer<Request> unanswered;

    Dispatcher(
            Vertx vertx,
            ServerOptions options,
            Routes routes,
            Workers workers,
            RequestMetrics metrics,
            String warmUpKey,
            Logger log) {
        this.vertx = vertx;
        this.options = options;
        this.routes = routes;
        this.workers = workers;
        this.metrics = metrics;
        this.warmUpKey = warmUpKey;
        this.log = log;
    }

    /** Sets the listener for requests whose callers disconnected before they got an answer. */
    void onUnanswered(Consumer<Request> listener) {
        unanswered = listener;
    }

    Router router() {
        Router router = Router.router(vertx);
        var largeBodies = new LargeBodies();
        router.route().handler(this::measure);
        router.route().handler(this::noticeLostCallers);
        for (Routes.Route route : routes.routes()) {
            router.route(route.method(), route.path())
                    .handler((PlatformHandler) Dispatcher::expectJson)
                    .handler(new Deadline(vertx))
                    .handler(largeBodies)
                    .handler(BodyHandler.create(false).setBodyLimit(options.maxBodyBytes()))
                    .handler(context -> {
                        if (Deadline.hasPassed(context)) {
                            answer(context, Response.text(504, "the request timed out in the queue"));
                        } else if (route.onWorker()) {
                            handleOnWorker(context, route.handler());
                        } else {
                            answer(context, respond(request(context, OptionalLong.empty()), route.handler()));
                        }
                    });
        }
        router.errorHandler(400, context -> refuse(context, Response.text(400, "malformed request")));
        router.errorHandler(404, context -> refuse(context, Response.text(404, unknownPath())));
        router.errorHandler(405, context -> {
            String allowed = routes.allowed(context.request().path());
            context.response().putHeader("Allow", allowed);
            refuse(
                    context,
                    Response.text(
                            405, "method not allowed; " + context.request().path() + " allows " + allowed));
        });
        router.errorHandler(
                408, context -> refuse(context, Response.text(408, "the request did not arrive within its timeout")));
        router.errorHandler(
                413,
                context -> refuse(
                        context,
                        Response.text(413, "the request body is longer than " + options.maxBodyBytes() + " bytes")));
        router.errorHandler(415, context -> refuse(context, Response.text(415, "the Content-Type is not " + JSON)));
        router.errorHandler(
                503,
                context -> refuse(
                        context,
                        Response.text(503, "too many large requests at a time; smaller requests are still answered")));
        router.errorHandler(500, context -> {
            if (!context.response().closed()) { // otherwise the caller disconnected, which is not an error
                answer(context, failed(context.request().path(), context.failure()));
            }
        });
        return router;
    }

    /** Answers a request that is not valid HTTP and may be incomplete. */
    void malformed(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        Response response = cause instanceof TooLongHttpLineException
                ? Response.text(414, "the request line is too long")
                : cause instanceof TooLongHttpHeaderException
                        ? Response.text(431, "the request headers are too long")
                        : Response.text(400, "malformed request");
        metrics.answered(RequestMetrics.UNKNOWN_PATH, response.status(), 0);
        sendAndClose(request, response);
    }

    private void measure(RoutingContext context) {
        if (isWarmUp(context.request())) {
            context.next();
            return;
        }
        long started = System.nanoTime();
        context.addEndHandler(ended -> {
            String path = context.request().path();
            metrics.answered(
                    path == null || routes.allowed(path).isEmpty() ? RequestMetrics.UNKNOWN_PATH : path,
                    ended.succeeded() ? context.response().getStatusCode() : statusOf(ended.cause()),
                    System.nanoTime() - started);
        });
        context.next();
    }

    private static int statusOf(Throwable brokenOff) {
        return brokenOff instanceof DecoderException ? BAD_REQUEST : CLIENT_CLOSED_REQUEST;
    }

    private void noticeLostCallers(RoutingContext context) {
        var listener = unanswered;
        var request = context.request();
        if (listener != null && !isWarmUp(request) && !isLastOfItsConnection(request)) {
            var ended = new AtomicLong();
            context.addEndHandler(end -> ended.set(System.nanoTime()));
            request.connection().closeHandler(closed -> {
                boolean isAnswered = context.response().ended() && System.nanoTime() - ended.get() > GAVE_UP_NANOS;
                if (!isAnswered && !context.response().headers().contains("Connection", "close", true)) {
                    listener.accept(request(context, OptionalLong.empty()));
                }
            });
        }
        context.next();
    }

    private static boolean isLastOfItsConnection(HttpServerRequest request) {
        return request.version() == HttpVersion.HTTP_1_0 || request.headers().contains("Connection", "close", true);
    }

    /** Rejects POST requests that are not JSON, so that Vert.x never parses form fields. A missing type counts as JSON. */
    private static void expectJson(RoutingContext context) {
        String type = context.request().getHeader("Content-Type");
        boolean json = type == null
                || type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals(JSON);
        if (json || !context.request().method().equals(HttpMethod.POST)) {
            context.next();
        } else {
            context.fail(415);
        }
    }

    private void handleOnWorker(RoutingContext context, RequestHandler handler) {
        if (workers.areBusy()) {
            answer(context, Response.text(UNAVAILABLE, "too many requests at a time"));
            return;
        }
        long millis = Math.max(1, Deadline.arrived(context).toMillis() / 2);
        var request = request(context, OptionalLong.of(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis)));
        long timer = vertx.setTimer(millis, late -> {
            log.atWarn()
                    .addKeyValue("path", request.path())
                    .addKeyValue("millis", millis)
                    .addKeyValue("bytes", request.body().length())
                    .log("a request was not answered in time");
            answer(
                    context,
                    Response.text(500, "the %s did not answer within %d ms".formatted(options.component(), millis)));
        });
        workers.run(() -> request.isOverdue() ? Optional.<Response>empty() : Optional.of(respond(request, handler)))
                .onSuccess(response -> response.ifPresent(given -> {
                    vertx.cancelTimer(timer);
                    answer(context, given);
                }));
    }

    private Response respond(Request request, RequestHandler handler) {
        try {
            return handler.handle(request);
        } catch (Throwable e) { // includes StackOverflowError, which a caller can cause with deeply nested JSON
            return failed(request.path(), e);
        }
    }

    /** @param end end of the time for the handler's work, on the scale of {@link System#nanoTime}; empty if there is no limit */
    private Request request(RoutingContext context, OptionalLong end) {
        HttpServerRequest request = context.request();
        Buffer body = context.body().buffer();
        String query = request.query();
        return new Request(
                context.normalizedPath(),
                query == null ? "" : query,
                body == null ? Buffer.buffer() : body,
                options.requireClientCertificate()
                        ? ClientName.of(request.connection().sslSession())
                        : Optional.empty(),
                isWarmUp(request),
                end);
    }

    private boolean isWarmUp(HttpServerRequest request) {
        String key = request.getHeader(WarmUp.HEADER);
        // A comparison that always takes the same time does not reveal how much of a wrong key is right.
        return key != null && MessageDigest.isEqual(warmUpKey.getBytes(UTF_8), key.getBytes(UTF_8));
    }

    /**
     * Logs the failure with a new id, and returns an answer with this id. The stack trace is logged only for the first failure of its kind.
     */
    private Response failed(String path, Throwable failure) {
        String id = UUID.randomUUID().toString().substring(0, 8);
        var line = log.atError().addKeyValue("id", id).addKeyValue("path", path);
        if (novelty.isNew(failure)) {
            line.setCause(failure).log("request failed");
        } else {
            line.addKeyValue("problem", failure.toString()).log("request failed again in the same way");
        }
        return Response.text(500, "internal error; search the log of the " + options.component() + " for id=" + id);
    }

    private String unknownPath() {
        return "unknown path; known: "
                + String.join(
                        ", ",
                        routes.routes().stream()
                                .map(Routes.Route::path)
                                .distinct()
                                .toList());
    }

    /** Answers a request that is possibly incomplete, and then closes the connection. */
    private void refuse(RoutingContext context, Response response) {
        sendAndClose(context.request(), response);
    }

    private static void answer(RoutingContext context, Response response) {
        send(context.response(), response);
    }

    private void sendAndClose(HttpServerRequest request, Response response) {
        request.response().putHeader("Connection", "close");
        send(request.response(), response).onComplete(sent -> {
            if (request.isEnded()) {
                request.connection().close();
            } else {
                // An immediate close could lose the answer, because TCP resets a connection that has unread bytes.
                vertx.setTimer(LINGER_MILLIS, passed -> request.connection().close());
            }
        });
    }

    private static Future<Void> send(HttpServerResponse target, Response response) {
        if (target.ended() || target.closed()) {
            return Future.succeededFuture();
        }
        target.setStatusCode(response.status());
        target.putHeader("Content-Type", response.contentType());
        if (response.status() == UNAVAILABLE) {
            // A retry needs a new connection to reach another replica, because a Service chooses the replica for each
            // connection.
            target.putHeader("Connection", "close");
        }
        return target.end(response.body());
    }
}
