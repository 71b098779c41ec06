package dev.trainyard.runtime.server;

import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.PlatformHandler;

/**
 * Lets in only so many large bodies at a time: anybody who reaches the port could fill the memory with requests that are begun and not
 * ended. Small ones, which all honest ones are but the rarest, are never held up by that. For one event loop.
 */
final class LargeBodies implements PlatformHandler {

    /** A pod of 64 KiB is a large one. */
    private static final int LARGE_BYTES = 256 << 10;

    private static final int MOST_AT_A_TIME = 4;
    private static final int UNAVAILABLE = 503;

    private int present;

    @Override
    public void handle(RoutingContext context) {
        if (!isLarge(context)) {
            context.next();
        } else if (present >= MOST_AT_A_TIME) {
            context.fail(UNAVAILABLE);
        } else {
            present++;
            context.addEndHandler(ended -> present--);
            context.next();
        }
    }

    /** One that does not say its length may be. */
    private static boolean isLarge(RoutingContext context) {
        var length = context.request().getHeader("Content-Length");
        if (length == null) {
            return context.request().getHeader("Transfer-Encoding") != null;
        }
        try {
            return Long.parseLong(length) > LARGE_BYTES;
        } catch (NumberFormatException e) {
            return true;
        }
    }
}
