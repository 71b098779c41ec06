package dev.trainyard.scaler.calls;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The calls of one pool, which follow each other, and what the last read said. Guarded by the lock of {@link Clouds}. */
final class Lane {

    /** A pool that was throttled is asked again after this long; doubled each time, up to the limit. */
    private static final Duration FIRST_REST = Duration.ofSeconds(1);

    private static final Duration LONGEST_REST = Duration.ofMinutes(1);

    /** @param at by the clock of {@link Clouds}, in nanoseconds */
    record Reading(Pool pool, PoolReading is, long at) {}

    /**
     * An order that was refused for a reason that stays while the pool does.
     *
     * @param order it and its sizes
     * @param is what was read before it
     * @param at by the clock of {@link Clouds}, in nanoseconds
     */
    record Refused(String order, PoolReading is, long at, String words) {}

    @Nullable
    Order running;
    /** Waits for the one that runs to end. */
    @Nullable
    Order next;

    @Nullable
    Reading last;
    /** What was read before an order that failed: what is read after it is news only where it differs. */
    @Nullable
    Reading beforeFailure;
    /** The last withdrawal, when it was refused. */
    @Nullable
    Refused refused;
    /** What became of orders that nobody waited for any more: told with the next readings, as clouds tell of their own late failures. */
    final List<Failure> late = new ArrayList<>();
    /** Why machines were not terminated, if nobody waited to hear it. */
    @Nullable
    ProviderException notTerminated;

    private int throttled;
    private long restsUntil = Long.MIN_VALUE;
    private String restsFor = "";

    boolean idle() {
        return running == null && next == null;
    }

    void throttled(ProviderException why, long now, Pauses pauses) {
        var rest = FIRST_REST.multipliedBy(1L << Math.min(throttled, 10));
        rest = pauses.jittered(rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST);
        throttled++;
        restsUntil = now
                + Math.max(
                        rest.toNanos(), why.retryAfter().orElse(Duration.ZERO).toNanos());
        restsFor = why.words();
    }

    /** What was last read holds no more: an order ended. */
    void outdated(Order order, @Nullable ProviderException problem, long now) {
        beforeFailure = problem == null ? null : last;
        if (!order.sizes.isEmpty()) {
            refused = problem == null || problem.kind() == FailureKind.TRANSIENT || last == null
                    ? null
                    : new Refused(order.sizes, last.is(), now, problem.kind() + ": " + problem.words());
        }
        last = null;
    }

    /** Why an order need not be made: it was refused not long ago, and nothing is different. */
    Optional<String> refusal(Order order, Duration recent) {
        return Optional.ofNullable(refused)
                .filter(before -> before.order().equals(order.sizes)
                        && order.sinceNanos - before.at() < recent.toNanos()
                        && last != null
                        && last.is().equals(before.is()))
                .map(Refused::words);
    }

    void answered() {
        throttled = 0;
    }

    boolean rests(long now) {
        return restsUntil != Long.MIN_VALUE && now < restsUntil;
    }

    String restsFor() {
        return restsFor;
    }
}
