package dev.trainyard.runtime.server;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;

/** Brings requests to their handlers and turns everything that goes wrong into a short text. */
final class Dispatcher {
    private final ServerOptions options;
    private final Routes routes;
    private final RequestMetrics metrics;
    private final Logger log;

    Dispatcher(ServerOptions options, Routes routes, RequestMetrics metrics, Logger log) {
        this.options = options;
        this.routes = routes;
        this.metrics = metrics;
        this.log = log;
    }

    Router router(Vertx vertx) {
        Router router = Router.router(vertx);
        router.route().handler(this::measure);
        for (Routes.Route route : routes.routes()) {
            router.route(route.method(), route.path())
                    .handler(BodyHandler.create(false).setBodyLimit(options.maxBodyBytes()))
                    .handler(context -> handle(context, route.handler()));
        }
        router.errorHandler(404, context -> answer(context, Response.text(404, unknownPath(context))));
        router.errorHandler(405, context -> {
            String allowed = routes.allowed(context.request().path());
            context.response().putHeader("Allow", allowed);
            answer(
                    context,
                    Response.text(
                            405, "method not allowed; " + context.request().path() + " takes " + allowed));
        });
        router.errorHandler(413, context -> {
            context.response().putHeader("Connection", "close"); // the rest of the body is not read
            answer(context, Response.text(413, "the request body is longer than " + options.maxBodyBytes() + " bytes"));
        });
        router.errorHandler(400, context -> answer(context, Response.text(400, "malformed request")));
        router.errorHandler(500, context -> answer(context, failed(context, context.failure())));
        return router;
    }

    private void measure(RoutingContext context) {
        long started = System.nanoTime();
        context.addEndHandler(ended -> {
            String path = context.request().path();
            metrics.answered(
                    path == null || routes.allowed(path).isEmpty() ? RequestMetrics.UNKNOWN_PATH : path,
                    context.response().getStatusCode(),
                    System.nanoTime() - started);
        });
        context.next();
    }

    private void handle(RoutingContext context, RequestHandler handler) {
        Response response;
        try {
            response = handler.handle(request(context));
        } catch (Throwable e) { // also StackOverflowError: deeply nested JSON is a caller's doing
            response = failed(context, e);
        }
        answer(context, response);
    }

    private Request request(RoutingContext context) {
        HttpServerRequest request = context.request();
        Buffer body = context.body().buffer();
        String query = request.query();
        return new Request(
                context.normalizedPath(),
                query == null ? "" : query,
                body == null ? Buffer.buffer() : body,
                options.requireClientCertificate()
                        ? ClientName.of(request.connection().sslSession())
                        : Optional.empty());
    }

    private Response failed(RoutingContext context, Throwable failure) {
        String id = UUID.randomUUID().toString().substring(0, 8);
        log.error("request failed id={} path={}", id, context.request().path(), failure);
        return Response.text(
                500, "internal error; the log of the " + options.component() + " has the reason under id=" + id);
    }

    private String unknownPath(RoutingContext context) {
        return "unknown path " + context.request().path() + "; known: "
                + String.join(
                        ", ",
                        routes.routes().stream()
                                .map(Routes.Route::path)
                                .distinct()
                                .toList());
    }

    private static void answer(RoutingContext context, Response response) {
        HttpServerResponse target = context.response();
        if (!target.ended() && !target.closed()) {
            target.setStatusCode(response.status());
            target.putHeader("Content-Type", response.contentType());
            target.end(response.body());
        }
    }
}
