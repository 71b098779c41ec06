package dev.trainyard.runtime.server;

import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.PlatformHandler;

/**
 * A limit for the number of large request bodies at a time. Without the limit, anyone who can reach the port could fill the memory with
 * requests that never end. Almost all legitimate requests have a small body of stated length, and are never limited. Used by one event
 * loop.
 */
final class LargeBodies implements PlatformHandler {

    /** The size, in bytes, above which a body is large. Even a pod of 64 KiB is unusually large. */
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

    /** Whether the body is large, or may be large because its length is not stated. */
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
