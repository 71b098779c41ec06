package dev.trainyard.scaler.calls;

import dev.trainyard.core.Durations;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A finder of spot scores that asks the clouds in the background, see {@link CloudProvider#spotScore}. It asks at most once an hour about
 * each pool that callers want a score of, whether the cloud answers or not. It asks one API about one pool at a time, so that slow answers
 * leave the API's other threads to the calls of pools. Thread-safe.
 */
final class SpotScoreFinder {

    private static final Logger log = LoggerFactory.getLogger(SpotScoreFinder.class);

    static final String OPERATION = "spot-score";

    /** The least time between two requests about a pool. */
    static final Duration INTERVAL = Duration.ofHours(1);

    /** The age up to which a score counts. Spot capacity changes within hours. */
    static final Duration KEPT = Duration.ofHours(3);

    /** The time after which the state of a pool that no caller asks about is dropped. It is longer than all usual pauses. */
    private static final Duration FORGOTTEN = Duration.ofDays(2);

    private final Caller caller;
    private final Threads threads;
    private final LongSupplier nanoTime;
    private final Map<ProviderSpec, State> states = new HashMap<>();
    private final Map<String, Api> apis = new HashMap<>();

    /** The state of one pool's score. Guarded by the lock of the finder. */
    private static final class State {
        private @Nullable Integer score;
        private long answeredAt;
        private boolean waits;
        private @Nullable Long nextRequestAt;
        private long wantedAt;
        /** The kind of the last failure, which is logged only once; null after an answer. */
        private @Nullable FailureKind failing;
    }

    /** The requests to one API. Guarded by the lock of the finder. */
    private static final class Api {
        private final Deque<Pool> waiting = new ArrayDeque<>();
        private boolean busy;
        /** The end of the pause after the API refused the credentials; null if it accepts them. The whole API has the same credentials. */
        private @Nullable Long refusedUntil;
    }

    SpotScoreFinder(Caller caller, Threads threads, LongSupplier nanoTime) {
        this.caller = caller;
        this.threads = threads;
        this.nanoTime = nanoTime;
    }

    /** Returns the last score that still counts. Sends the cloud a request when one is due, but does not wait for the answer. */
    Optional<Integer> find(Pool pool) {
        if (!pool.isSpot()) {
            return Optional.empty();
        }
        if (enqueueIfDue(pool)) {
            askNext(pool.provider().api());
        }
        return known(pool);
    }

    /**
     * Puts the pool into the queue of its API if a request is due.
     *
     * @return whether the caller must start the queue, since no request to the API is running
     */
    private synchronized boolean enqueueIfDue(Pool pool) {
        long now = nanoTime.getAsLong();
        var state = states.computeIfAbsent(pool.provider(), any -> new State());
        var api = apis.computeIfAbsent(pool.provider().api(), any -> new Api());
        state.wantedAt = now;
        if (state.waits || !isPast(state.nextRequestAt, now) || !isPast(api.refusedUntil, now)) {
            return false;
        }
        state.waits = true;
        api.waiting.add(pool);
        boolean first = !api.busy;
        api.busy = true;
        return first;
    }

    private synchronized Optional<Integer> known(Pool pool) {
        var state = states.get(pool.provider());
        return state == null || nanoTime.getAsLong() - state.answeredAt > KEPT.toNanos()
                ? Optional.empty()
                : Optional.ofNullable(state.score);
    }

    private void askNext(String api) {
        threads.run(api, () -> {
            try {
                polled(api).ifPresent(this::ask);
            } finally {
                if (hasMore(api)) {
                    askNext(api);
                }
            }
        });
    }

    private synchronized Optional<Pool> polled(String api) {
        return Optional.ofNullable(apis.get(api)).map(known -> known.waiting.poll());
    }

    private synchronized boolean hasMore(String name) {
        var api = apis.computeIfAbsent(name, any -> new Api());
        api.busy = !api.waiting.isEmpty();
        return api.busy;
    }

    private void ask(Pool pool) {
        Optional<Integer> score = Optional.empty();
        @Nullable ProviderException problem = new ProviderException(FailureKind.TRANSIENT, "the call was cancelled");
        try {
            score = caller.call(pool, OPERATION, provider -> provider.spotScore(pool));
            problem = null;
        } catch (ProviderException e) {
            problem = e;
        } finally {
            // This also runs after an Error, so that the request always ends.
            answered(pool, score, problem);
        }
    }

    private synchronized void answered(Pool pool, Optional<Integer> score, @Nullable ProviderException problem) {
        long now = nanoTime.getAsLong();
        states.values().removeIf(any -> !any.waits && now - any.wantedAt > FORGOTTEN.toNanos());
        var state = states.computeIfAbsent(pool.provider(), any -> new State());
        var api = apis.computeIfAbsent(pool.provider().api(), any -> new Api());
        state.waits = false;
        var pause = Durations.max(
                INTERVAL,
                Optional.ofNullable(problem)
                        .flatMap(ProviderException::retryAfter)
                        .orElse(INTERVAL));
        state.nextRequestAt = now + pause.toNanos();
        if (problem == null) {
            state.score = score.orElse(null);
            state.answeredAt = now;
            state.failing = null;
            api.refusedUntil = null;
        } else if (problem.kind() == FailureKind.AUTH) {
            refused(pool, api, now + pause.toNanos(), pause, problem);
        } else if (problem.kind() != state.failing) {
            state.failing = problem.kind();
            log.info(
                    "the spot score of pool {} is unknown: {}: {}; the scaler works without it, and asks again after {}",
                    pool.name(),
                    problem.kind(),
                    problem.words(),
                    Durations.format(pause));
        }
    }

    /** Pauses all requests to the API, since another pool's request would be refused too. Logs only the first refusal. */
    private void refused(Pool pool, Api api, long until, Duration pause, ProviderException problem) {
        if (api.refusedUntil == null) {
            log.info(
                    "the spot scores of {} are unknown: {}; this is optional: the scaler works without scores, and asks again after {}",
                    pool.provider().api(),
                    problem.words(),
                    Durations.format(pause));
        }
        api.refusedUntil = until;
        for (var other : api.waiting) {
            states.computeIfAbsent(other.provider(), any -> new State()).waits = false;
        }
        api.waiting.clear();
    }

    private static boolean isPast(@Nullable Long time, long now) {
        return time == null || now - time >= 0;
    }
}
