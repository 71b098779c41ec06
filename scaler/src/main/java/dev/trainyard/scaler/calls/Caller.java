package dev.trainyard.scaler.calls;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes one call: within the API's budget, tried again when it fails in a way that passes by itself. Blocks. Thread-safe. */
final class Caller {

    private static final Logger log = LoggerFactory.getLogger(Caller.class);

    private static final int ATTEMPTS = 3;
    /** Before the second attempt; doubled before the third. */
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** A call that would have to wait for longer is not made. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final Map<String, CloudProvider> providers;
    private final Map<String, Budget> reads = new HashMap<>();
    private final Map<String, Budget> writes = new HashMap<>();
    private final CallMeter meter;
    private final LongSupplier nanoTime;
    private final Pauses pauses;

    Caller(Map<String, CloudProvider> providers, CallMeter meter, LongSupplier nanoTime, Pauses pauses) {
        this.providers = Map.copyOf(providers);
        this.meter = meter;
        this.nanoTime = nanoTime;
        this.pauses = pauses;
        this.providers.forEach((name, provider) -> {
            var limits = provider.limits();
            reads.put(name, new Budget(limits.readsPerSecond(), limits.readBurst(), nanoTime));
            writes.put(name, new Budget(limits.writesPerSecond(), limits.writeBurst(), nanoTime));
        });
    }

    /** A call to a provider. */
    @FunctionalInterface
    interface Work<T> {
        T on(CloudProvider provider) throws ProviderException;
    }

    /** The member of {@code spec.provider} that a pool has. */
    static String kind(Pool pool) {
        return pool.provider().named().get(0);
    }

    Duration attention(Pool pool) {
        var provider = providers.get(kind(pool));
        return provider == null ? Duration.ofMinutes(1) : provider.attention();
    }

    <T> T call(Pool pool, String operation, Work<T> work) throws ProviderException {
        return call(kind(pool), operation, "pool " + pool.name(), work);
    }

    /**
     * @param kind the member of {@code spec.provider} that it is for
     * @param about what the call is about, for the log
     */
    <T> T call(String kind, String operation, String about, Work<T> work) throws ProviderException {
        var provider = providers.get(kind);
        if (provider == null) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "spec.provider.%s is not supported by this version; there are: %s"
                            .formatted(kind, String.join(", ", providers.keySet())));
        }
        for (int attempt = 1; ; attempt++) {
            try {
                spend(kind, operation);
                return measured(kind, operation, about, () -> work.on(provider));
            } catch (ProviderException e) {
                if (e.kind() == FailureKind.THROTTLED) {
                    budget(kind, operation).exhaust();
                }
                var pause = e.retryAfter().orElse(pauses.jittered(PAUSE.multipliedBy(1L << (attempt - 1))));
                if (attempt == ATTEMPTS || !passes(e.kind()) || pause.compareTo(LONGEST_WAIT) > 0) {
                    throw e;
                }
                pause(pause);
            }
        }
    }

    /**
     * As many of {@code machines}, the first of them, as the API may be asked to remove now; one request for them has been spent already.
     * The others wait for the next order, rather than keep the pool's other calls waiting.
     */
    List<Machine> affordable(Pool pool, CloudProvider provider, List<Machine> machines) {
        long perRequest = provider.terminationsPerRequest();
        int more = (int) ((machines.size() - 1) / perRequest);
        int taken = more == 0 ? 0 : known(kind(pool), writes).takeWhatIsThere(more);
        return machines.subList(0, (int) Math.min(machines.size(), (1 + taken) * perRequest));
    }

    private static boolean passes(FailureKind kind) {
        return switch (kind) {
            case THROTTLED, TRANSIENT -> true;
            case CAPACITY, SPOT_CAPACITY, QUOTA, AUTH, INVALID_CONFIGURATION, CONFLICT, LAUNCH_TIMEOUT -> false;
        };
    }

    private void spend(String kind, String operation) throws ProviderException {
        var wait = budget(kind, operation).take(LONGEST_WAIT);
        if (wait.isEmpty()) {
            throw new ProviderException(
                    FailureKind.THROTTLED,
                    "the API of %s is asked as often as it allows already".formatted(kind),
                    LONGEST_WAIT.plusSeconds(1));
        }
        if (!wait.get().isZero()) {
            meter.waited(kind, operation, wait.get());
            pause(wait.get());
        }
    }

    private Budget budget(String kind, String operation) {
        boolean changesNothing = operation.equals("read") || operation.equals(SizeFinder.OPERATION);
        return known(kind, changesNothing ? reads : writes);
    }

    private static Budget known(String kind, Map<String, Budget> budgets) {
        var budget = budgets.get(kind);
        if (budget == null) {
            throw new IllegalStateException("no budget for " + kind);
        }
        return budget;
    }

    private void pause(Duration time) throws ProviderException {
        try {
            pauses.pause(time);
        } catch (InterruptedException e) {
            throw late(e);
        }
    }

    /** One attempt. */
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
            log.error("{} of {} failed unexpectedly", operation, about, e);
            throw new ProviderException(FailureKind.TRANSIENT, "unexpected: " + e);
        } finally {
            meter.called(kind, operation, result, Duration.ofNanos(nanoTime.getAsLong() - started));
        }
    }

    /** Of a call that was interrupted, which is not tried again. */
    private static ProviderException late(Exception cause) {
        var late = new ProviderException(
                FailureKind.TRANSIENT, "it took too long and was cut off", LONGEST_WAIT.plusSeconds(1));
        late.initCause(cause);
        return late;
    }
}
