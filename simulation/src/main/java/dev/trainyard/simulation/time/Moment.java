package dev.trainyard.simulation.time;

import java.time.Duration;
import java.time.Instant;

/**
 * The time of an event, by the wall clock and by the monotonic clock.
 *
 * @param wall the wall-clock time, which may have been changed
 * @param nanos nanoseconds since the start, by the monotonic clock
 */
public record Moment(Instant wall, long nanos) {

    public static Moment now(VirtualTime time) {
        return new Moment(time.instant(), time.nanos());
    }

    /** Whether this moment is less than {@code age} ago by both clocks. */
    public boolean isWithin(Duration age, VirtualTime time) {
        return wall.isAfter(time.instant().minus(age)) && time.nanos() - nanos < age.toNanos();
    }
}
