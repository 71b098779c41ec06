package dev.trainyard.scaler.page;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What a value was over the last day: one sample for each change of it, at most one for each minute, never more than {@link #MOST}. A pool
 * that rests costs one sample; one that changes every minute is remembered for eight hours. Samples are in the order of their times, also when
 * the clock is set back: those of the time that is lived once more are forgotten. Immutable.
 */
record Track<T>(List<Sample<T>> samples) {

    /** @param from since when it was {@code value}: until the next sample, or until now */
    record Sample<T>(Instant from, T value) {}

    static final Duration REACH = Duration.ofHours(24);
    static final int MOST = 480;
    private static final Duration RESOLUTION = Duration.ofMinutes(1);

    Track {
        samples = List.copyOf(samples);
    }

    static <T> Track<T> empty() {
        return new Track<>(List.of());
    }

    /** The same with what the value is now. Of values within one minute the last one is remembered. */
    Track<T> with(Instant now, T value) {
        var changed = new ArrayList<>(samples);
        // Of a clock that was set back: what is yet to come is no history, and would be taken for recent until then.
        changed.removeIf(sample -> sample.from().isAfter(now));
        var from = now;
        if (!changed.isEmpty() && isRecent(last(changed), now)) {
            from = changed.remove(changed.size() - 1).from();
        }
        if (changed.isEmpty() || !last(changed).value().equals(value)) {
            changed.add(new Sample<>(from, value));
        }
        // The first sample says what held at the edge of the day that is remembered.
        while (changed.size() > MOST
                || (changed.size() > 1 && !changed.get(1).from().isAfter(now.minus(REACH)))) {
            changed.remove(0);
        }
        return changed.equals(samples) ? this : new Track<>(changed);
    }

    private static boolean isRecent(Sample<?> sample, Instant now) {
        return Duration.between(sample.from(), now).compareTo(RESOLUTION) < 0;
    }

    private static <T> Sample<T> last(List<Sample<T>> samples) {
        return samples.get(samples.size() - 1);
    }
}
