package dev.trainyard.simulation.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Time that passes when everything that was to happen has happened, and the clock on the wall that goes with it. What happens at the same
 * time happens in the order in which it was planned. One thread.
 */
public final class VirtualTime extends Clock {

    private record Plan(long at, long order, Runnable what) {}

    private final Instant start;
    private final PriorityQueue<Plan> plans =
            new PriorityQueue<>(Comparator.comparingLong(Plan::at).thenComparingLong(Plan::order));
    private long now;
    private long planned;
    /** How far somebody has set the clock on the wall. */
    private Duration set = Duration.ZERO;

    public VirtualTime(Instant start) {
        this.start = start;
    }

    /** Nanoseconds since the start, by a clock that nobody sets. */
    public long nanos() {
        return now;
    }

    /** Since the start, by a clock that nobody sets. */
    public Duration elapsed() {
        return Duration.ofNanos(now);
    }

    /** {@code what} happens after that long; not before what happens now is over. */
    public void after(Duration wait, Runnable what) {
        at(now + Math.max(0, wait.toNanos()), what);
    }

    /**
     * Schedules an action.
     *
     * @param nanos since the start; what is past happens now
     */
    public void at(long nanos, Runnable what) {
        plans.add(new Plan(Math.max(now, nanos), planned++, what));
    }

    /** Lets the next thing happen if it is due by then. @return false when nothing is */
    public boolean step(long until) {
        var next = plans.peek();
        if (next == null || next.at() > until) {
            return false;
        }
        plans.remove();
        // What waits within something that happens lets time pass beneath it.
        now = Math.max(now, next.at());
        next.what().run();
        return true;
    }

    /** Everything happens that is due by then, and it is then. May be called by what happens: somebody waits there. */
    public void passTo(long until) {
        while (step(until)) {
            // on to the next
        }
        now = Math.max(now, until);
    }

    /** When the next thing happens; {@link Long#MAX_VALUE} when nothing is planned. */
    public long next() {
        var plan = plans.peek();
        return plan == null ? Long.MAX_VALUE : plan.at();
    }

    /** Somebody sets the clock on the wall. */
    public void setWallClock(Duration by) {
        set = set.plus(by);
    }

    @Override
    public Instant instant() {
        return start.plusNanos(now).plus(set);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return Clock.fixed(instant(), zone);
    }
}
