package dev.trainyard.runtime.server;

import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.stream.Stream;

/** The handlers by method and path. Immutable: every method returns a new value. Paths match exactly. */
public record Routes(List<Route> routes) {
    /**
     * One path with one method.
     *
     * @param onWorker whether the handler runs on a worker thread with a time limit, instead of on the event loop
     */
    public record Route(HttpMethod method, String path, RequestHandler handler, boolean onWorker) {
        public Route {
            if (!path.startsWith("/") || path.contains("*") || path.contains(":")) {
                throw new IllegalArgumentException("path " + path + " must start with / and must not contain * or :");
            }
        }
    }

    public Routes {
        routes = List.copyOf(routes);
        long different = routes.stream()
                .map(route -> route.method() + route.path())
                .distinct()
                .count();
        if (different != routes.size()) {
            throw new IllegalArgumentException("two routes have the same method and path; all routes: "
                    + routes.stream()
                            .map(route -> route.method() + " " + route.path())
                            .toList());
        }
    }

    public static Routes none() {
        return new Routes(List.of());
    }

    public Routes post(String path, RequestHandler handler) {
        return with(new Route(HttpMethod.POST, path, handler, false));
    }

    /**
     * Adds a handler whose work may take long. The handler runs on one of a few worker threads, so that a slow request does not delay
     * others. The handler must be thread-safe. When the body has arrived, half of the caller's remaining timeout becomes the handler's time
     * limit. If the handler exceeds the limit, the caller gets status 500 with an explanation, and the handler's own answer is dropped.
     */
    public Routes postOnWorker(String path, RequestHandler handler) {
        return with(new Route(HttpMethod.POST, path, handler, true));
    }

    public Routes get(String path, RequestHandler handler) {
        return with(new Route(HttpMethod.GET, path, handler, false));
    }

    /** Returns the allowed methods of a path, in the form of the {@code Allow} header; empty if the path is unknown. */
    String allowed(String path) {
        return String.join(
                ", ",
                routes.stream()
                        .filter(route -> route.path().equals(path))
                        .map(route -> route.method().name())
                        .toList());
    }

    private Routes with(Route route) {
        return new Routes(Stream.concat(routes.stream(), Stream.of(route)).toList());
    }
}
