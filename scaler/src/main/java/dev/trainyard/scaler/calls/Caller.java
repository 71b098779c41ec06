package dev.trainyard.scaler.calls;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.LostAnswer;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A caller of clouds. Makes each call within the budget of its API, and retries a call that failed temporarily. Blocks until the call has
 * ended. Thread-safe.
 *
 * <p>This class replaces a retry library. Such libraries read the system clock, but the simulation needs a clock of its own.
 */
final class Caller {

    private static final Logger log = LoggerFactory.getLogger(Caller.class);

    private static final int ATTEMPTS = 3;
    /**
     * The maximum number of API requests in one removal of machines. Other requests, such as one to grow a pool, wait at most for these
     * requests.
     */
    private static final int REMOVALS = 5;
    /** The pause before the second attempt; doubled before the third. */
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** The longest wait for the budget or before another attempt. If the wait would be longer, the call or attempt is not made. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
    /** The limit of requests for scores to one API. No pool waits for them, and each pool needs one an hour. */
    private static final double SCORES_PER_SECOND = 0.5;

    private static final int SCORE_BURST = 5;

    private final Map<String, CloudProvider> providers;
    /** Budgets of reads, by API. */
    private final Map<String, Budget> reads = new ConcurrentHashMap<>();

    private final Map<String, Budget> writes = new ConcurrentHashMap<>();
    /** Budgets of requests for scores. They are separate, so that these requests delay no reads, even if the cloud throttles them. */
    private final Map<String, Budget> scores = new ConcurrentHashMap<>();

    private final CallMeter meter;
    private final LongSupplier nanoTime;
    private final Pauses pauses;

    Caller(Map<String, CloudProvider> providers, CallMeter meter, LongSupplier nanoTime, Pauses pauses) {
        this.providers = Map.copyOf(providers);
        this.meter = meter;
        this.nanoTime = nanoTime;
        this.pauses = pauses;
    }

    /** A call to a provider. */
    @FunctionalInterface
    interface Work<T> {
        T on(CloudProvider provider) throws ProviderException;
    }

    /** Returns the member of {@code spec.provider} that is set. */
    private static String kind(ProviderSpec where) {
        return where.named().get(0);
    }

    Duration attention(Pool pool) {
        var provider = providers.get(kind(pool.provider()));
        return provider == null ? Duration.ofMinutes(1) : provider.attention();
    }

    <T> T call(Pool pool, String operation, Work<T> work) throws ProviderException {
        return call(pool.provider(), operation, "pool " + pool.name(), work);
    }

    /**
     * @param where the cloud resource of the call
     * @param about the subject of the call, for the log
     */
    <T> T call(ProviderSpec where, String operation, String about, Work<T> work) throws ProviderException {
        var kind = kind(where);
        var provider = providers.get(kind);
        if (provider == null) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "spec.provider.%s is not supported by this version; supported: %s"
                            .formatted(kind, String.join(", ", providers.keySet())));
        }
        var budget = budget(where, operation, provider.limits());
        ProviderException unanswered = null;
        for (int attempt = 1; ; attempt++) {
            try {
                spend(budget, kind, operation);
                return measured(kind, operation, about, () -> work.on(provider));
            } catch (ProviderException e) {
                if (e.kind() == FailureKind.THROTTLED) {
                    budget.exhaust();
                }
                var pause = e.retryAfter().orElse(pauses.jittered(PAUSE.multipliedBy(1L << (attempt - 1))));
                if (attempt == ATTEMPTS || !passes(e.kind()) || pause.compareTo(LONGEST_WAIT) > 0) {
                    throw unanswered != null && leavesOpen(e.kind()) && !isRead(operation)
                            ? new LostAnswer(unanswered, e)
                            : e;
                }
                unanswered = e.kind() == FailureKind.TRANSIENT ? e : unanswered;
                pause(pause);
            }
        }
    }

    /**
     * Returns the machines to remove now: the beginning of {@code machines}, as far as the budget allows in at most {@link #REMOVALS}
     * requests. The budget of the first request is already spent. The remaining machines are left for the next removal, so that the pool's
     * other calls do not wait.
     */
    List<Machine> affordable(Pool pool, CloudProvider provider, List<Machine> machines) {
        long perRequest = provider.terminationsPerRequest();
        int more = (int) Math.min(REMOVALS - 1, (machines.size() - 1) / perRequest);
        int taken = more == 0 ? 0 : writes(pool.provider(), provider.limits()).takeWhatIsThere(more);
        return machines.subList(0, (int) Math.min(machines.size(), (1 + taken) * perRequest));
    }

    /**
     * Whether a retry that failed in this way leaves the result of an earlier attempt unknown. A conflict already shows that the pool has
     * changed. A transient failure itself means that an answer is missing, so it needs no {@link LostAnswer}.
     */
    private static boolean leavesOpen(FailureKind kind) {
        return kind != FailureKind.TRANSIENT && kind != FailureKind.CONFLICT;
    }

    private static boolean passes(FailureKind kind) {
        return switch (kind) {
            case THROTTLED, TRANSIENT -> true;
            case CAPACITY, SPOT_CAPACITY, QUOTA, AUTH, INVALID_CONFIGURATION, CONFLICT, LAUNCH_TIMEOUT -> false;
        };
    }

    private void spend(Budget budget, String kind, String operation) throws ProviderException {
        var wait = budget.take(LONGEST_WAIT);
        if (wait.isEmpty()) {
            throw new ProviderException(
                    FailureKind.THROTTLED,
                    "the scaler reached its rate limit for the API of %s; the call is retried later".formatted(kind),
                    LONGEST_WAIT.plusSeconds(1));
        }
        if (!wait.get().isZero()) {
            meter.waited(kind, operation, wait.get());
            pause(wait.get());
        }
    }

    private Budget budget(ProviderSpec where, String operation, CallLimits limits) {
        if (operation.equals(SpotScoreFinder.OPERATION)) {
            return scores.computeIfAbsent(where.api(), api -> new Budget(SCORES_PER_SECOND, SCORE_BURST, nanoTime));
        }
        return isRead(operation)
                ? reads.computeIfAbsent(
                        where.api(), api -> new Budget(limits.readsPerSecond(), limits.readBurst(), nanoTime))
                : writes(where, limits);
    }

    private static boolean isRead(String operation) {
        return operation.equals("read")
                || operation.equals(SizeFinder.OPERATION)
                || operation.equals(SpotScoreFinder.OPERATION);
    }

    private Budget writes(ProviderSpec where, CallLimits limits) {
        return writes.computeIfAbsent(
                where.api(), api -> new Budget(limits.writesPerSecond(), limits.writeBurst(), nanoTime));
    }

    private void pause(Duration time) throws ProviderException {
        try {
            pauses.pause(time);
        } catch (InterruptedException e) {
            throw late(e);
        }
    }

    /** One attempt of a call. */
    @FunctionalInterface
    private interface Attempt<T> {
        T make() throws ProviderException;
    }

    private <T> T measured(String kind, String operation, String about, Attempt<T> attempt) throws ProviderException {
        long started = nanoTime.getAsLong();
        var result = "unexpected";
        try {
            var answer = attempt.make();
            result = "ok";
            return answer;
        } catch (ProviderException e) {
            result = e.kind().toString();
            throw e;
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted() || e.getCause() instanceof InterruptedException) {
                result = FailureKind.TRANSIENT.toString();
                throw late(e);
            }
            log.error("the cloud call {} for {} failed with an unexpected error", operation, about, e);
            throw new ProviderException(FailureKind.TRANSIENT, "unexpected: " + e);
        } finally {
            meter.called(kind, operation, result, Duration.ofNanos(nanoTime.getAsLong() - started));
        }
    }

    /** Returns the error of an interrupted call. Such a call is not retried. */
    private static ProviderException late(Exception cause) {
        var late = new ProviderException(
                FailureKind.TRANSIENT, "the call took too long and was cancelled", LONGEST_WAIT.plusSeconds(1));
        late.initCause(cause);
        return late;
    }
}
