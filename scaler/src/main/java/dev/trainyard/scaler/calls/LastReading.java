package dev.trainyard.scaler.calls;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last reading of a pool, and failures that became known after it. All times are by the clock of {@link Clouds}, in nanoseconds.
 * Guarded by the lock of {@link Clouds}.
 */
final class LastReading {

    private static final Logger log = LoggerFactory.getLogger(LastReading.class);

    private record Reading(Pool pool, PoolReading is, long at) {

        /** Whether the reading is about the pool's current cloud resource. A change of the spec may have replaced the cloud resource. */
        private boolean isOf(Pool current) {
            return pool.provider().equals(current.provider());
        }
    }

    /**
     * A withdrawal that was refused for a reason that lasts as long as the pool does not change.
     *
     * @param order the old and the new target in the withdrawal
     * @param is the reading before the withdrawal
     */
    private record Refused(String order, PoolReading is, long at, String words) {}

    private final Duration recent;

    private @Nullable Reading last;
    /** The reading before a failed request. The next reading counts as changed only if it differs from this reading. */
    private @Nullable Reading beforeFailure;
    /** The last withdrawal, if it was refused for a lasting reason; null otherwise. */
    private @Nullable Refused refused;
    /**
     * Failures of requests that no round was waiting for any more. The failures are added to the next readings, as if the clouds had
     * reported them.
     */
    private final List<Failure> late = new ArrayList<>();

    /** @param recent the age up to which a reading is a basis for decisions */
    LastReading(Duration recent) {
        this.recent = recent;
    }

    /**
     * Whether to read the pool again. A read is due if the last reading is as old as {@code attention} or half of {@code recent}.
     *
     * @param attention how often to read a pool that is changing
     */
    boolean isDue(Pool pool, Duration attention, long now) {
        return last == null
                || !last.isOf(pool)
                || now - last.at()
                        >= Math.min(attention.toNanos(), recent.dividedBy(2).toNanos());
    }

    /**
     * Returns the last reading with the late failures. Empty if the reading is too old for decisions, or is about another cloud resource.
     */
    Optional<PoolReading> recent(Pool pool, long now) {
        return Optional.ofNullable(last)
                .filter(reading -> reading.isOf(pool) && now - reading.at() <= recent.toNanos())
                .map(reading -> withLateFailures(reading.is()));
    }

    private PoolReading withLateFailures(PoolReading is) {
        return late.isEmpty() ? is : new PoolReading(is.state().map(this::withFailures), is.problem());
    }

    private PoolState withFailures(PoolState state) {
        var failures = new ArrayList<>(state.failures());
        failures.addAll(late);
        return new PoolState(state.target(), state.machines(), failures, state.bounds(), state.warnings());
    }

    /**
     * Keeps a reading.
     *
     * @param state empty if the read failed
     * @return whether the reading differs from the previous one
     */
    boolean keep(Pool pool, Optional<PoolState> state, @Nullable ProviderException problem, long now) {
        var reading = problem == null ? PoolReading.of(state.orElseThrow()) : PoolReading.failed(problem);
        var before = last == null ? beforeFailure : last;
        boolean news = before == null || !before.isOf(pool) || !before.is().equals(reading);
        beforeFailure = null;
        last = new Reading(pool, reading, now);
        if (news && problem != null) {
            log.warn(
                    "pool {} cannot be read and stays unchanged: {}: {}{}",
                    pool.name(),
                    problem.kind(),
                    problem.words(),
                    TroubleshootingTopic.CLOUD_CANNOT_BE_READ.see());
        }
        return news;
    }

    /** Forgets late failures, since a new request begins. */
    void requested() {
        late.clear();
    }

    /** Adds the failure of a request that no round is waiting for any more. */
    void failedLate(Failure failure) {
        late.add(failure);
    }

    /**
     * Drops the last reading, since a request that ended may have changed the pool. If the request was a withdrawal, also records whether
     * it was refused for a lasting reason.
     */
    void outdated(PoolCall order, @Nullable ProviderException problem, long now) {
        beforeFailure = problem == null ? null : last;
        if (!order.sizes.isEmpty()) {
            refused = problem == null || passes(problem) || last == null
                    ? null
                    : new Refused(order.sizes, last.is(), now, problem.kind() + ": " + problem.words());
        }
        last = null;
    }

    /** Whether the reason of a refusal is only temporary, since it has nothing to do with the pool. */
    private static boolean passes(ProviderException problem) {
        return problem.kind() == FailureKind.TRANSIENT || problem.kind() == FailureKind.THROTTLED;
    }

    /**
     * Returns why a withdrawal is not made again, in the words of its refusal. Empty if the withdrawal may be made: no equal withdrawal was
     * refused recently, or the pool's reading has changed since the refusal.
     */
    Optional<String> refusal(PoolCall order) {
        return Optional.ofNullable(refused)
                .filter(before -> before.order().equals(order.sizes)
                        && order.sinceNanos - before.at() < recent.toNanos()
                        && last != null
                        && last.is().equals(before.is()))
                .map(Refused::words);
    }
}
