package dev.trainyard.simulation.cluster;

import dev.trainyard.scaler.leadership.LeaseValidity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The Lease that selects the leader among replicas of the scaler, with the production durations of {@code Leadership}. */
final class Lease {

    static final Duration RETRY = Duration.ofSeconds(2);

    private @Nullable String holder;
    private long renewed;

    /**
     * Takes or renews the Lease.
     *
     * @return whether {@code who} holds the Lease now
     */
    boolean take(String who, long now) {
        if (holder == null || holder.equals(who) || now - renewed >= LeaseValidity.LEASE.toNanos()) {
            holder = who;
            renewed = now;
            return true;
        }
        return false;
    }
}
