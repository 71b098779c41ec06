package dev.trainyard.scaler.calls;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.LostAnswer;
import dev.trainyard.scaler.provider.NotSent;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A queued or running call. Created by {@link Clouds}, whose lock guards it. */
public final class PoolCall {

    /** The time after which a call is late; usual calls take seconds. */
    private static final Duration LATE = Duration.ofSeconds(10);

    final Pool pool;
    final String operation;
    final Caller.Work<Optional<PoolState>> work;
    /** The time at which this call was requested, by the wall clock. */
    final Instant since;

    /** The same time by the clock of {@link Clouds}, in nanoseconds. */
    final long sinceNanos;

    /** The old and the new target of a withdrawal; empty for other calls. */
    String sizes = "";

    boolean begun;
    boolean ended;
    /** Whether no round waits for the call any more. */
    boolean abandoned;

    @Nullable
    ProviderException problem;
    /** Whether the call is not made because another call is running that takes no longer than usual. */
    boolean behindOrdinaryCall;

    /** Why the call will not be made; null if it was made or still will be made. */
    @Nullable
    String notMade;

    PoolCall(Pool pool, String operation, Caller.Work<Optional<PoolState>> work, Instant since, long sinceNanos) {
        this.pool = pool;
        this.operation = operation;
        this.work = work;
        this.since = since;
        this.sinceNanos = sinceNanos;
    }

    boolean isRead() {
        return operation.equals("read");
    }

    /** @param now the time by the clock of {@link Clouds}, in nanoseconds */
    boolean isLate(long now) {
        return now - sinceNanos >= LATE.toNanos();
    }

    /** Returns why other calls wait for this call, as text for messages. */
    String waiting(long now) {
        return isLate(now)
                ? "its cloud has not answered a call (%s) since %s"
                        .formatted(operation, since.truncatedTo(ChronoUnit.SECONDS))
                : "a call to its cloud (%s) is in progress".formatted(operation);
    }

    /**
     * Returns the current outcome of a request.
     *
     * @throws NotLeading if the request was not sent, since another scaler may lead by now
     */
    CallOutcome outcome(long now) {
        if (notMade != null) {
            return new CallOutcome.Open(notMade, false, behindOrdinaryCall);
        }
        if (!ended) {
            return new CallOutcome.Open(waiting(now), true, !isLate(now));
        }
        if (problem == null) {
            return new CallOutcome.Accepted();
        }
        if (problem instanceof NotSent) {
            throw new NotLeading(problem.words());
        }
        var words = problem.kind() + ": " + problem.words();
        if (problem instanceof LostAnswer) {
            return new CallOutcome.Open(words, true);
        }
        return switch (problem.kind()) {
            // Throttling has nothing to do with the pool, and a conflict only shows that the reading was outdated.
            case THROTTLED, CONFLICT -> new CallOutcome.Open(words, false);
            case CAPACITY, SPOT_CAPACITY, QUOTA, AUTH, INVALID_CONFIGURATION, LAUNCH_TIMEOUT, TRANSIENT ->
                new CallOutcome.Refused(problem.kind(), problem.words());
        };
    }
}
