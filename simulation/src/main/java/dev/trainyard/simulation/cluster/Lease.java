package dev.trainyard.simulation.cluster;

import dev.trainyard.scaler.Tenure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The Lease by which replicas of the scaler agree who acts, with the times that the real ones have ({@code Leadership}). */
final class Lease {

    static final Duration RETRY = Duration.ofSeconds(2);

    private @Nullable String holder;
    private long renewed;

    /** Takes or renews it. @return whether {@code who} holds it now */
    boolean take(String who, long now) {
        if (holder == null || holder.equals(who) || now - renewed >= Tenure.LEASE.toNanos()) {
            holder = who;
            renewed = now;
            return true;
        }
        return false;
    }
}
