package dev.trainyard.scaler.page;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The values of one quantity over the last day. There is a sample for each change, but at most one for each minute, and at most {@link
 * #MOST} in total. A quantity that never changes needs one sample. If a quantity changes every minute, its samples cover eight hours.
 * Samples are sorted by time. If the clock is set back, samples with times in the future are dropped. Immutable.
 */
record Track<T>(List<Sample<T>> samples) {

    /**
     * A value of the quantity, which applies until the next sample, or until now if this is the last sample.
     *
     * @param from when the quantity began to have the value
     */
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

    /** Adds the current value. If several values are added within one minute, the last one is kept. */
    Track<T> with(Instant now, T value) {
        var changed = new ArrayList<>(samples);
        // Samples in the future were taken before the clock was set back. Such a sample would count as recent until its
        // time comes.
        changed.removeIf(sample -> sample.from().isAfter(now));
        var from = now;
        if (!changed.isEmpty() && isRecent(last(changed), now)) {
            from = changed.remove(changed.size() - 1).from();
        }
        if (changed.isEmpty() || !last(changed).value().equals(value)) {
            changed.add(new Sample<>(from, value));
        }
        // One sample older than 24 hours is kept: it has the value at the beginning of the last 24 hours.
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
