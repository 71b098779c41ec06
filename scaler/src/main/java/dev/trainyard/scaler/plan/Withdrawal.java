package dev.trainyard.scaler.plan;

import dev.trainyard.core.pool.Pool;

/** The withdrawal of the part of a request that the cloud will not fill. No existing machine is affected. */
public record Withdrawal(Pool pool, int from, int to, String why) {

    @Override
    public String toString() {
        return "pool %s: the request for %d of %d machines is withdrawn: %s"
                .formatted(pool.name(), from - to, from, why);
    }
}
