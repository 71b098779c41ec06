package dev.trainyard.runtime.server;

/**
 * A handler of requests. The handler runs on the server's event loop unless its {@linkplain Routes#postOnWorker route} states otherwise. On
 * the event loop, a handler must not block and must not use the network, because all other requests would wait. An exception is logged, and
 * answered with status 500.
 */
@FunctionalInterface
public interface RequestHandler {
    Response handle(Request request) throws Exception;
}
