package dev.trainyard.simulation.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A virtual clock with a queue of scheduled actions. The time advances to the time of each action that runs. Actions at the same time run
 * in the order in which they were scheduled. Not thread-safe.
 */
public final class VirtualTime extends Clock {

    private record Plan(long at, long order, Runnable what) {}

    private final Instant start;
    private final PriorityQueue<Plan> plans =
            new PriorityQueue<>(Comparator.comparingLong(Plan::at).thenComparingLong(Plan::order));
    private long now;
    private long planned;
    /** The total change of the wall clock. */
    private Duration set = Duration.ZERO;

    public VirtualTime(Instant start) {
        this.start = start;
    }

    /** Returns the nanoseconds since the start, by a monotonic clock. */
    public long nanos() {
        return now;
    }

    /** Returns the time since the start, by a monotonic clock. */
    public Duration elapsed() {
        return Duration.ofNanos(now);
    }

    /**
     * Schedules {@code what} after the given time. The scheduled action runs when the current action has ended, or while the current action
     * waits.
     */
    public void after(Duration wait, Runnable what) {
        at(now + Math.max(0, wait.toNanos()), what);
    }

    /**
     * Schedules an action.
     *
     * @param nanos the time since the start; an action in the past is due now
     */
    public void at(long nanos, Runnable what) {
        plans.add(new Plan(Math.max(now, nanos), planned++, what));
    }

    /**
     * Runs the next action if it is due by {@code until}.
     *
     * @return false if no action is due
     */
    public boolean step(long until) {
        var next = plans.peek();
        if (next == null || next.at() > until) {
            return false;
        }
        plans.remove();
        // An action that waits lets time pass, so the next action may be late.
        now = Math.max(now, next.at());
        next.what().run();
        return true;
    }

    /** Runs all actions that are due by {@code until} and advances the time to {@code until}. An action may call this method to wait. */
    public void passTo(long until) {
        while (step(until)) {
            // until no action is due
        }
        now = Math.max(now, until);
    }

    /** Returns when the next action is due; {@link Long#MAX_VALUE} if none is scheduled. */
    public long next() {
        var plan = plans.peek();
        return plan == null ? Long.MAX_VALUE : plan.at();
    }

    /** Changes the wall clock. */
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
