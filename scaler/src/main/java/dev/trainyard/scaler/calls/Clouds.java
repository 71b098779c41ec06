package dev.trainyard.scaler.calls;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.LostAnswer;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.NotSent;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Access to all clouds. The calls of one pool run one after another. Calls of different pools run concurrently, so that a slow or hanging
 * cloud does not delay other pools. A round (one pass of the scaler's loop) uses readings that may be a few seconds old, while new readings
 * are fetched. So each request to grow a pool, and each withdrawal, names the pool size that the decision was based on. If the size has
 * changed since the decision, the request is refused.
 *
 * <p>If a call is not answered in time, the state of its pool counts as unknown until the answer. Until then, no second call is made for
 * the pool. Thread-safe.
 */
public final class Clouds {

    private static final Logger log = LoggerFactory.getLogger(Clouds.class);

    private static final String GROW = "grow";
    private static final String WITHDRAW = "withdraw";
    private static final String TERMINATE = "terminate";

    /**
     * The time limits of rounds.
     *
     * @param timeout the longest time that a round waits for one answer
     * @param recent the age up to which a reading is a basis for decisions
     */
    public record Timing(Duration timeout, Duration recent) {
        public static final Timing USUAL = new Timing(Duration.ofSeconds(2), Duration.ofSeconds(30));
    }

    private final Caller caller;
    private final SizeFinder sizes;
    private final SpotScoreFinder scores;
    private final Threads threads;
    private final Timing timing;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Pauses pauses;
    private final Runnable changed;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private final Map<String, PoolCallQueue> queues = new HashMap<>();
    /** Whether a round is waiting for readings. Such a round sees new readings anyway, so no other round is started for them. */
    private boolean roundWaits;

    /**
     * @param providers providers by member of {@code spec.provider}
     * @param nanoTime a monotonic clock
     * @param changed called if another round should run, such as after a changed reading
     */
    public Clouds(
            Map<String, CloudProvider> providers,
            CallMeter meter,
            Threads threads,
            Timing timing,
            Clock clock,
            LongSupplier nanoTime,
            Pauses pauses,
            Runnable changed) {
        this.caller = new Caller(providers, meter, nanoTime, pauses);
        this.sizes = new SizeFinder(caller, threads, nanoTime, changed);
        this.scores = new SpotScoreFinder(caller, threads, nanoTime);
        this.threads = threads;
        this.timing = timing;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.pauses = pauses;
        this.changed = changed;
    }

    /**
     * Returns the cloud's answer for a machine size that the built-in table lacks; empty if the machines are simulated, or if {@code where}
     * does not name exactly one provider. If no answer is known yet, sends the cloud a request but does not wait for the answer.
     */
    public Optional<SizeAnswer> size(ProviderSpec where, String name) {
        return sizes.find(where, name);
    }

    /**
     * Returns the cloud's last estimate that a request for a spot machine of this pool succeeds, from 1 (unlikely) to 10 (very likely);
     * empty if there is none or it is too old. If the estimate is an hour old or missing, sends the cloud a request but does not wait for
     * the answer. No round is started for the answer.
     */
    public Optional<Integer> spotScore(Pool pool) {
        return scores.find(pool);
    }

    /** Returns the monotonic clock of the calls. */
    public LongSupplier nanoTime() {
        return nanoTime;
    }

    /** Returns how often to read a pool that is changing. */
    public Duration attention(Pool pool) {
        return caller.attention(pool);
    }

    /**
     * Returns the last readings of these pools by name, and begins new reads that are due. Waits only for pools without a recent reading,
     * and at most for {@link Timing#timeout}.
     */
    public Map<String, PoolReading> read(Collection<Pool> pools) {
        lock.lock();
        try {
            var names = pools.stream().map(Pool::name).collect(Collectors.toSet());
            queues.entrySet()
                    .removeIf(queue ->
                            !names.contains(queue.getKey()) && queue.getValue().idle());
            long now = nanoTime.getAsLong();
            for (var pool : pools) {
                var queue = queue(pool);
                if (queue.idle() && !queue.rests(now) && queue.reading.isDue(pool, attention(pool), now)) {
                    begin(queue, readOf(pool));
                }
            }
            awaitAll(pools, now);
            var readings = new HashMap<String, PoolReading>();
            for (var pool : pools) {
                readings.put(pool.name(), reading(queue(pool), pool));
            }
            return readings;
        } finally {
            lock.unlock();
        }
    }

    /** Requests more machines and returns at once. {@link #answer} returns the result. */
    public PoolCall grow(Pool pool, int from, int to) {
        return order(pool, GROW, provider -> {
            provider.grow(pool, from, to);
            return Optional.empty();
        });
    }

    /** Withdraws a request and returns at once. {@link #answer} returns the result. */
    public PoolCall withdraw(Pool pool, int from, int to) {
        lock.lock();
        try {
            var order = new PoolCall(
                    pool,
                    WITHDRAW,
                    provider -> {
                        provider.withdraw(pool, from, to);
                        return Optional.empty();
                    },
                    clock.instant(),
                    nanoTime.getAsLong());
            order.sizes = from + " " + to;
            var queue = queue(pool);
            queue.reading.refusal(order).ifPresent(words -> order.notMade = words);
            return order.notMade == null ? order(order) : order;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the answer to a request. Waits for at most {@link Timing#timeout}, counted from the request.
     *
     * @throws NotLeading if the request was not sent, since another scaler may lead by now
     */
    public CallOutcome answer(PoolCall order) {
        lock.lock();
        try {
            await(
                    () -> order.ended || order.notMade != null,
                    order.sinceNanos + timing.timeout().toNanos());
            if (order.notMade == null && !order.ended) {
                giveUp(order);
            }
            return order.outcome(nanoTime.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Requests the termination of machines. If the API does not allow all terminations at once, the last machines are left for a later
     * request. Does not wait for the answer: later readings show whether the machines are gone, and rounds repeat the request until then.
     *
     * @throws ProviderException if this request failed at once, or if the previous termination request of the pool failed
     */
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        ProviderException failed;
        lock.lock();
        try {
            var queue = queue(pool);
            failed = queue.notTerminated;
            queue.notTerminated = null;
            var order = order(pool, TERMINATE, provider -> {
                provider.terminate(pool, caller.affordable(pool, provider, machines));
                return Optional.empty();
            });
            if (order.notMade != null) {
                log.debug("machines of pool {} will be terminated later: {}", pool.name(), order.notMade);
            } else if (order.ended) {
                failed = order.problem instanceof NotSent ? null : order.problem;
            } else {
                order.abandoned = true;
            }
        } finally {
            lock.unlock();
        }
        if (failed != null) {
            throw failed;
        }
    }

    /**
     * Whether no request is in progress, so that the Lease may be released. Reads in progress do not matter, since the next leader reads
     * the pools itself.
     */
    public boolean isAtRest() {
        lock.lock();
        try {
            return queues.values().stream()
                    .allMatch(queue -> (queue.running == null || queue.running.isRead()) && queue.next == null);
        } finally {
            lock.unlock();
        }
    }

    private PoolCall readOf(Pool pool) {
        return new PoolCall(
                pool,
                "read",
                provider -> Optional.of(provider.tend(pool, provider.read(pool))),
                clock.instant(),
                nanoTime.getAsLong());
    }

    private PoolCall order(Pool pool, String operation, Caller.Work<Optional<PoolState>> work) {
        return order(new PoolCall(pool, operation, work, clock.instant(), nanoTime.getAsLong()));
    }

    private PoolCall order(PoolCall order) {
        lock.lock();
        try {
            var queue = queue(order.pool);
            if (queue.rests(order.sinceNanos)) {
                order.notMade = queue.restsFor();
            } else if (queue.idle()) {
                begin(queue, order);
            } else if (queue.next == null && queue.running != null && queue.running.isRead()) {
                queue.next = order;
            } else {
                busy(order, queue.running);
            }
            return order;
        } finally {
            lock.unlock();
        }
    }

    private void begin(PoolCallQueue queue, PoolCall order) {
        queue.running = order;
        order.begun = true;
        // A new request makes late failures obsolete. A termination does not, and may begin before a round has seen a
        // late failure.
        if (!order.isRead() && !order.operation.equals(TERMINATE)) {
            queue.reading.requested();
        }
        threads.run(order.pool.provider().api(), () -> run(queue, order));
    }

    private void run(PoolCallQueue queue, PoolCall order) {
        Optional<PoolState> state = Optional.empty();
        ProviderException problem = null;
        boolean cutOff = true;
        try {
            state = caller.call(order.pool, order.operation, order.work);
            cutOff = false;
        } catch (ProviderException e) {
            problem = e;
            cutOff = false;
        } finally {
            // This also runs after an Error, so that the queue is free for the next call.
            end(
                    queue,
                    order,
                    state,
                    cutOff ? new ProviderException(FailureKind.TRANSIENT, "the call was cancelled") : problem);
        }
    }

    private void end(
            PoolCallQueue queue, PoolCall order, Optional<PoolState> state, @Nullable ProviderException problem) {
        boolean news;
        lock.lock();
        try {
            queue.running = null;
            order.ended = true;
            order.problem = problem;
            if (problem != null && problem.kind() == FailureKind.THROTTLED) {
                queue.throttled(problem, nanoTime.getAsLong(), pauses);
            } else {
                queue.answered();
            }
            news = order.isRead() ? keep(queue, order, state) && !roundWaits : endRequest(queue, order);
            if (queue.next != null) {
                var next = queue.next;
                queue.next = null;
                begin(queue, next);
            } else if (!order.isRead() && !queue.rests(nanoTime.getAsLong())) {
                begin(queue, readOf(order.pool));
            }
            ended.signalAll();
        } finally {
            lock.unlock();
        }
        if (news) {
            changed.run();
        }
    }

    /**
     * Keeps the reading, unless the read was throttled and the last reading is still valid.
     *
     * @return whether the kept reading differs from the last one
     */
    private boolean keep(PoolCallQueue queue, PoolCall order, Optional<PoolState> state) {
        var problem = order.problem;
        boolean throttled = problem != null && problem.kind() == FailureKind.THROTTLED;
        return !(throttled && known(queue, order.pool).isPresent())
                && queue.reading.keep(order.pool, state, problem, nanoTime.getAsLong());
    }

    /**
     * Drops the reading from before the request, unless the request cannot have changed the pool.
     *
     * @return whether another round should run
     */
    private boolean endRequest(PoolCallQueue queue, PoolCall order) {
        var problem = order.problem;
        if (problem instanceof NotSent) {
            return false;
        }
        if (problem == null || problem.kind() != FailureKind.THROTTLED || problem instanceof LostAnswer) {
            queue.reading.outdated(order, problem, nanoTime.getAsLong());
        }
        if (!order.abandoned || problem == null) {
            return order.abandoned;
        }
        log.warn(
                "the cloud call {} for pool {} failed: {}: {}",
                order.operation,
                order.pool.name(),
                problem.kind(),
                problem.words());
        if (order.operation.equals(TERMINATE)) {
            queue.notTerminated = problem;
            // No round is needed now: the next termination request reports the failure.
            return false;
        } else if (problem.kind() != FailureKind.THROTTLED && problem.kind() != FailureKind.CONFLICT) {
            queue.reading.failedLate(new Failure(problem.kind(), problem.words(), clock.instant()));
        }
        return true;
    }

    private void giveUp(PoolCall order) {
        var queue = queue(order.pool);
        if (queue.next == order) {
            queue.next = null;
            busy(order, queue.running);
        } else {
            order.abandoned = true;
        }
    }

    /** Marks a request as not made, since another call for the pool is in progress. */
    private void busy(PoolCall order, @Nullable PoolCall running) {
        order.notMade = waitingFor(running);
        order.behindOrdinaryCall = running != null && !running.isLate(nanoTime.getAsLong());
    }

    private String waitingFor(@Nullable PoolCall order) {
        return order == null ? "its cloud is busy" : order.waiting(nanoTime.getAsLong());
    }

    private PoolCallQueue queue(Pool pool) {
        return queues.computeIfAbsent(pool.name(), name -> new PoolCallQueue(timing.recent()));
    }

    /**
     * Returns the last reading if decisions may be based on it; empty otherwise. While a request is running, its effect on the pool is
     * unknown, so the reading is unusable. The exception is a termination: the reading stays usable, although it may still show machines
     * that are being terminated.
     */
    private Optional<PoolReading> known(PoolCallQueue queue, Pool pool) {
        boolean ordering =
                queue.running != null && !queue.running.isRead() && !queue.running.operation.equals(TERMINATE);
        return ordering ? Optional.empty() : queue.reading.recent(pool, nanoTime.getAsLong());
    }

    private PoolReading reading(PoolCallQueue queue, Pool pool) {
        return known(queue, pool).orElseGet(() -> unknown(queue));
    }

    private PoolReading unknown(PoolCallQueue queue) {
        if (queue.running != null) {
            return PoolReading.failed(new ProviderException(FailureKind.TRANSIENT, waitingFor(queue.running)));
        }
        return PoolReading.failed(
                queue.rests(nanoTime.getAsLong())
                        ? new ProviderException(FailureKind.THROTTLED, queue.restsFor())
                        : new ProviderException(FailureKind.TRANSIENT, "the cloud resource has not been read yet"));
    }

    /**
     * Waits for the running calls of pools without a usable reading. Does not wait for a call that has been running for the whole timeout
     * already.
     */
    private void awaitAll(Collection<Pool> pools, long now) {
        long timeout = timing.timeout().toNanos();
        roundWaits = true;
        await(
                () -> pools.stream().noneMatch(pool -> {
                    var queue = queue(pool);
                    return queue.running != null
                            && known(queue, pool).isEmpty()
                            && nanoTime.getAsLong() - queue.running.sinceNanos < timeout;
                }),
                now + timeout);
        roundWaits = false;
    }

    private void await(BooleanSupplier done, long until) {
        try {
            long left = until - nanoTime.getAsLong();
            while (!done.getAsBoolean() && left > 0) {
                left = Math.min(pauses.await(ended, left), until - nanoTime.getAsLong());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
