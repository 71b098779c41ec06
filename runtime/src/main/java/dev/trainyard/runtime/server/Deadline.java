package dev.trainyard.runtime.server;

import dev.trainyard.core.Durations;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.PlatformHandler;
import java.time.Duration;

/**
 * How long the caller waits for its answer: the API server says so in the query, {@code ?timeout=10s}. A body that is not there by then
 * is answered with 408, and the connection closed, so that slow senders hold neither memory nor connections for long.
 */
final class Deadline implements PlatformHandler {

    /** The longest that the API server lets a webhook take; also for callers that say nothing, or something that cannot be read. */
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
        var patience = patience(context);
        context.put(KEY, System.nanoTime() + patience.toNanos());
        long timer = vertx.setTimer(patience.toMillis(), late -> lookOnceMore(context));
        context.put(TIMER, timer);
        context.addEndHandler(ended -> vertx.cancelTimer(timer));
        context.next();
    }

    /** Whether the caller has given up: work for it would only hold up others. */
    static boolean hasPassed(RoutingContext context) {
        Long end = context.get(KEY);
        return end != null && System.nanoTime() - end >= 0;
    }

    /** Ends the watch over a request that has arrived completely. Returns for how long the caller still waits. */
    static Duration arrived(RoutingContext context) {
        Long timer = context.get(TIMER);
        context.vertx().cancelTimer(timer);
        Long end = context.get(KEY);
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    static Duration patience(String timeout) {
        try {
            var asked = Durations.parsePositive(timeout);
            return asked.compareTo(LONGEST) < 0 ? asked : LONGEST;
        } catch (IllegalArgumentException e) {
            return LONGEST;
        }
    }

    private static Duration patience(RoutingContext context) {
        var query = context.request().query();
        return query == null
                ? LONGEST
                : patience(Request.parameter(query, "timeout").orElse(""));
    }

    /** When the event loop was busy, the rest of the body may have come meanwhile; it is read before this timer fires. */
    private void lookOnceMore(RoutingContext context) {
        vertx.setTimer(1, again -> {
            if (!context.response().ended()) {
                context.fail(REQUEST_TIMEOUT);
            }
        });
    }
}
