package dev.trainyard.extender.nudge;

import dev.trainyard.core.Durations;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rate limit for nudges: patches that make the scheduler retry a pod. A pod is nudged at most once per {@link #FIRST}. This pause
 * doubles up to {@link #LONGEST} with each nudge that did not help. All pods together get {@link #BURST} nudges at once, and
 * {@link #PER_SECOND} nudges per second in the long run, far below the limits of an API server and a scheduler. Times are nanoseconds of a
 * monotonic clock. Not thread-safe.
 */
final class NudgeRateLimit {

    static final Duration FIRST = Duration.ofSeconds(5);
    static final Duration LONGEST = Duration.ofSeconds(60);
    static final int BURST = 50;
    static final int PER_SECOND = 10;

    private static final double NANOS_PER_SECOND = 1e9;

    /** @param pause least time from this nudge to the pod's next nudge */
    private record Last(long at, Duration pause) {}

    /** @param before the nudge before {@code last}; null if there was none */
    private record Taken(Last last, @Nullable Last before) {}

    private final Map<String, Taken> pods;
    private double budget = BURST;
    private long countedAt;
    private boolean counted;

    /** @param most number of pods to remember */
    NudgeRateLimit(int most) {
        this.pods = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Taken> eldest) {
                return size() > most;
            }
        };
    }

    /** Whether the pod may be nudged now. If so, this call already records the nudge. */
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
        var pause = last == null ? FIRST : Durations.min(last.pause().multipliedBy(2), LONGEST);
        pods.put(uid, new Taken(new Last(now, pause), last));
        return true;
    }

    /** Removes the record of the pod's last nudge and returns the nudge to the budget, because the nudge was not tried. */
    void giveBack(String uid) {
        budget = Math.min(BURST, budget + 1);
        pods.computeIfPresent(uid, (same, taken) -> taken.before() == null ? null : new Taken(taken.before(), null));
    }

    /** Resets the pod's pause to {@link #FIRST}, because the last nudge helped. */
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
}
