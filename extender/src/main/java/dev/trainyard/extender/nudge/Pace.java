package dev.trainyard.extender.nudge;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How often pods may be nudged: each at most once per {@link #FIRST}, which doubles up to {@link #LONGEST} with each nudge that did not
 * help; all together {@link #BURST} at once and {@link #PER_SECOND} in the long run, far below what an API server and a scheduler take.
 * Times are nanoseconds of a clock that never goes back. Not thread-safe.
 */
final class Pace {

    static final Duration FIRST = Duration.ofSeconds(5);
    static final Duration LONGEST = Duration.ofSeconds(60);
    static final int BURST = 50;
    static final int PER_SECOND = 10;

    private static final double NANOS_PER_SECOND = 1e9;

    /** @param pause from the last nudge to the next */
    private record Last(long at, Duration pause) {}

    /** @param before what counted until then; null when nothing did */
    private record Taken(Last last, @Nullable Last before) {}

    private final Map<String, Taken> pods;
    private double budget = BURST;
    private long countedAt;
    private boolean counted;

    /** @param most pods that it remembers */
    Pace(int most) {
        this.pods = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Taken> eldest) {
                return size() > most;
            }
        };
    }

    /** Whether the pod may be nudged now; if so, it counts as nudged. */
    boolean take(String uid, long now) {
        var taken = pods.get(uid);
        var last = taken == null ? null : taken.last();
        if (last != null && now - last.at() < last.pause().toNanos()) {
            return false;
        }
        refill(now);
        if (budget < 1) {
            return false;
        }
        budget--;
        pods.remove(uid);
        var pause = last == null ? FIRST : min(last.pause().multipliedBy(2), LONGEST);
        pods.put(uid, new Taken(new Last(now, pause), last));
        return true;
    }

    /** The nudge that was taken last was not even tried: it does not count. */
    void giveBack(String uid) {
        budget = Math.min(BURST, budget + 1);
        pods.computeIfPresent(uid, (same, taken) -> taken.before() == null ? null : new Taken(taken.before(), null));
    }

    /** The last nudge helped: the next pause is the shortest again. */
    void helped(String uid) {
        pods.computeIfPresent(
                uid, (same, taken) -> new Taken(new Last(taken.last().at(), FIRST), taken.before()));
    }

    void forget(String uid) {
        pods.remove(uid);
    }

    private void refill(long now) {
        if (counted) {
            budget = Math.min(BURST, budget + (now - countedAt) / NANOS_PER_SECOND * PER_SECOND);
        }
        counted = true;
        countedAt = now;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
