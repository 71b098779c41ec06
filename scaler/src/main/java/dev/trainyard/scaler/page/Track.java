package dev.trainyard.scaler.page;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What a value was over the last day: one sample for each change of it, at most one for each minute, never more than {@link #MOST}. A pool
 * that rests costs one sample; one that changes every minute is remembered for eight hours. Immutable.
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
        if (!changed.isEmpty() && isRecent(changed.get(changed.size() - 1), now)) {
            changed.remove(changed.size() - 1);
        }
        if (changed.isEmpty() || !changed.get(changed.size() - 1).value().equals(value)) {
            changed.add(new Sample<>(changed.size() < samples.size() ? last().from() : now, value));
        }
        // The first sample says what held at the edge of the day that is remembered.
        while (changed.size() > MOST
                || (changed.size() > 1 && !changed.get(1).from().isAfter(now.minus(REACH)))) {
            changed.remove(0);
        }
        return changed.equals(samples) ? this : new Track<>(changed);
    }

    private boolean isRecent(Sample<T> sample, Instant now) {
        return Duration.between(sample.from(), now).compareTo(RESOLUTION) < 0;
    }

    private Sample<T> last() {
        return samples.get(samples.size() - 1);
    }
}
