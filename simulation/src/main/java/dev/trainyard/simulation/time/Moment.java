package dev.trainyard.simulation.time;

import java.time.Duration;
import java.time.Instant;

/**
 * When something happened, by both clocks.
 *
 * @param wall by the clock on the wall, as somebody may have set it
 * @param nanos since the start, by the clock that nobody sets
 */
public record Moment(Instant wall, long nanos) {

    public static Moment now(VirtualTime time) {
        return new Moment(time.instant(), time.nanos());
    }

    /** Whether it is less than {@code age} ago, whichever clock one goes by. */
    public boolean isWithin(Duration age, VirtualTime time) {
        return wall.isAfter(time.instant().minus(age)) && time.nanos() - nanos < age.toNanos();
    }
}
