package dev.trainyard.runtime.server;

import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.stream.Stream;

/** Which path is answered by which handler. Immutable: every method returns a new value. Paths match exactly. */
public record Routes(List<Route> routes) {
    /**
     * One path with one method.
     *
     * @param onWorker whether the handler runs on a worker thread and within a time budget, and not on the event loop
     */
    public record Route(HttpMethod method, String path, RequestHandler handler, boolean onWorker) {
        public Route {
            if (!path.startsWith("/") || path.contains("*") || path.contains(":")) {
                throw new IllegalArgumentException("path " + path + " must start with / and match one path exactly");
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
            throw new IllegalArgumentException("the same method and path were given two handlers: "
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
     * For a handler whose work may take long: it runs on one of a few worker threads, so it must be thread-safe, and a slow request
     * delays no other. Its time is half of what its caller's timeout leaves when the body has arrived. After that, the caller gets
     * status 500 and a message that says so, and the handler's own answer is dropped.
     */
    public Routes postOnWorker(String path, RequestHandler handler) {
        return with(new Route(HttpMethod.POST, path, handler, true));
    }

    public Routes get(String path, RequestHandler handler) {
        return with(new Route(HttpMethod.GET, path, handler, false));
    }

    /** Methods that the path is answered for, as the {@code Allow} header wants them; empty for an unknown path. */
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
