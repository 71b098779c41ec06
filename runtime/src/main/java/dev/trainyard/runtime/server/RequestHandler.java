package dev.trainyard.runtime.server;

/**
 * Answers requests. Runs on the server's event loop unless its {@linkplain Routes#postOnWorker route} says otherwise: it must neither
 * wait nor call anything over a network, or all other requests wait with it. What it throws is logged and answered with status 500.
 */
@FunctionalInterface
public interface RequestHandler {
    Response handle(Request request) throws Exception;
}
