package dev.trainyard.simulation.cluster;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The Lease by which replicas of the scaler agree who acts, with the times that the real ones have ({@code Leadership}). */
final class Lease {

    private static final Duration DURATION = Duration.ofSeconds(15);

    /** Who leads and could not renew it for so long, ends. */
    static final Duration RENEWED_WITHIN = Duration.ofSeconds(10);

    static final Duration RETRY = Duration.ofSeconds(2);

    private @Nullable String holder;
    private long renewed;

    /** Takes or renews it. @return whether {@code who} holds it now */
    boolean take(String who, long now) {
        if (holder == null || holder.equals(who) || now - renewed >= DURATION.toNanos()) {
            holder = who;
            renewed = now;
            return true;
        }
        return false;
    }
}
