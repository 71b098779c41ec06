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

/** The calls of one pool, which run one after another, and the last reading. Guarded by the lock of {@link Clouds}. */
final class PoolCallQueue {

    /** The first pause after throttling; doubled each time, up to the limit. */
    private static final Duration FIRST_REST = Duration.ofSeconds(1);

    private static final Duration LONGEST_REST = Duration.ofMinutes(1);

    /** @param at the time by the clock of {@link Clouds}, in nanoseconds */
    record Reading(Pool pool, PoolReading is, long at) {}

    /**
     * A request that was refused for a reason that stays as long as the pool does not change.
     *
     * @param order the sizes of the request
     * @param is the reading before it
     * @param at the time by the clock of {@link Clouds}, in nanoseconds
     */
    record Refused(String order, PoolReading is, long at, String words) {}

    @Nullable
    PoolCall running;
    /** Waits for the running call to end. */
    @Nullable
    PoolCall next;

    @Nullable
    Reading last;
    /** The reading before a failed request: the next reading is news only if it differs. */
    @Nullable
    Reading beforeFailure;
    /** The last withdrawal, if it was refused. */
    @Nullable
    Refused refused;
    /** Failures of requests that no round waited for any more: added to the next readings, like late failures that clouds report. */
    final List<Failure> late = new ArrayList<>();
    /** Why a termination failed, until it is reported. */
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

    /** Drops the last reading, since a request ended. */
    void outdated(PoolCall order, @Nullable ProviderException problem, long now) {
        beforeFailure = problem == null ? null : last;
        if (!order.sizes.isEmpty()) {
            refused = problem == null || problem.kind() == FailureKind.TRANSIENT || last == null
                    ? null
                    : new Refused(order.sizes, last.is(), now, problem.kind() + ": " + problem.words());
        }
        last = null;
    }

    /** Returns why a request need not be made: it was refused recently, and nothing has changed; empty otherwise. */
    Optional<String> refusal(PoolCall order, Duration recent) {
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
