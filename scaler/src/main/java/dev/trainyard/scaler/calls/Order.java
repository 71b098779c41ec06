package dev.trainyard.scaler.calls;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call that has been asked for. To be had from {@link Clouds}, whose lock guards it. */
public final class Order {

    final Pool pool;
    final String operation;
    final Caller.Work<Optional<PoolState>> work;
    /** When it was asked for: by the clock on the wall, and by that of {@link Clouds}, in nanoseconds. */
    final Instant since;

    final long sinceNanos;

    /** Of a withdrawal: from which target to which. */
    String sizes = "";

    boolean begun;
    boolean ended;
    /** Whether nobody waits for it any more. */
    boolean abandoned;

    @Nullable
    ProviderException problem;
    /** Whether it will not be made since another call is under way that is not late. */
    boolean behindOrdinaryCall;

    /** Why it will not be made; null when it was, or is still to be. */
    @Nullable
    String notMade;

    Order(Pool pool, String operation, Caller.Work<Optional<PoolState>> work, Instant since, long sinceNanos) {
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
