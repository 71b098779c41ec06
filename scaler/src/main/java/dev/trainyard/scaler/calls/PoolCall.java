package dev.trainyard.scaler.calls;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A queued or running call. Created by {@link Clouds}, whose lock guards it. */
public final class PoolCall {

    final Pool pool;
    final String operation;
    final Caller.Work<Optional<PoolState>> work;
    /** The time of the request: by the wall clock, and by the clock of {@link Clouds} in nanoseconds. */
    final Instant since;

    final long sinceNanos;

    /** The old and the new target of a withdrawal; empty for other calls. */
    String sizes = "";

    boolean begun;
    boolean ended;
    /** Whether no round waits for it any more. */
    boolean abandoned;

    @Nullable
    ProviderException problem;
    /** Whether it will not be made because of another call that takes no longer than usual. */
    boolean behindOrdinaryCall;

    /** Why it will not be made; null if it was made or still will be. */
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
}
