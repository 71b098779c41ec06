package dev.trainyard.scaler.plan;

import dev.trainyard.core.pool.Pool;

/** A request that its cloud will not fill, to be taken back. Concerns no machine. */
public record Withdrawal(Pool pool, int from, int to, String why) {

    @Override
    public String toString() {
        return "pool %s: the request for %d of %d machines is withdrawn: %s"
                .formatted(pool.name(), from - to, from, why);
    }
}
