package dev.trainyard.runtime.server;

import dev.trainyard.core.Durations;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.PlatformHandler;
import java.time.Duration;

/**
 * A handler that limits the time of a request to the caller's timeout, which the API server states in the query: {@code ?timeout=10s}. If
 * the body does not arrive within this timeout, the answer is status 408, and the connection is closed. Without this limit, slow senders
 * could hold memory and connections for long.
 */
final class Deadline implements PlatformHandler {

    /**
     * The longest timeout that the API server allows for a webhook. This timeout also applies if the caller states no timeout or an invalid
     * one.
     */
    static final Duration LONGEST = Duration.ofSeconds(30);

    private static final String KEY = Deadline.class.getName();
    private static final String TIMER = KEY + ".timer";
    private static final int REQUEST_TIMEOUT = 408;

    private final Vertx vertx;

    Deadline(Vertx vertx) {
        this.vertx = vertx;
    }

    @Override
    public void handle(RoutingContext context) {
        var timeout = timeout(context);
        context.put(KEY, System.nanoTime() + timeout.toNanos());
        long timer = vertx.setTimer(timeout.toMillis(), late -> failAfterPendingReads(context));
        context.put(TIMER, timer);
        context.addEndHandler(ended -> vertx.cancelTimer(timer));
        context.next();
    }

    /** Whether the caller's timeout has passed, so that the caller has given up. Work on such a request would only delay other requests. */
    static boolean hasPassed(RoutingContext context) {
        Long end = context.get(KEY);
        return end != null && System.nanoTime() - end >= 0;
    }

    /** Cancels the timer of a request that has arrived completely. Returns the remaining time of the caller's timeout. */
    static Duration arrived(RoutingContext context) {
        Long timer = context.get(TIMER);
        context.vertx().cancelTimer(timer);
        Long end = context.get(KEY);
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    static Duration timeout(String timeout) {
        try {
            var asked = Durations.parsePositive(timeout);
            return asked.compareTo(LONGEST) < 0 ? asked : LONGEST;
        } catch (IllegalArgumentException e) {
            return LONGEST;
        }
    }

    private static Duration timeout(RoutingContext context) {
        var query = context.request().query();
        return query == null
                ? LONGEST
                : timeout(Request.parameter(query, "timeout").orElse(""));
    }

    /** Fails the request after one more turn of the event loop. If the loop was busy, the rest of the body may have arrived, and is read first. */
    private void failAfterPendingReads(RoutingContext context) {
        vertx.setTimer(1, again -> {
            if (!context.response().ended()) {
                context.fail(REQUEST_TIMEOUT);
            }
        });
    }
}
