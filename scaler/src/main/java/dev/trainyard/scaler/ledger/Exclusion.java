package dev.trainyard.scaler.ledger;

import dev.trainyard.core.Durations;
import java.time.Duration;
import java.time.Instant;

/**
 * Pods for which no machine of a pool is requested. The reason: an earlier machine joined for these pods, but could not run them.
 *
 * @param pods a digest of the pods' common requirements
 * @param until when a machine may be requested for the pods again
 * @param failures the number of machines that joined for such pods and could not run them; 0 while the exclusion is provisional
 * @param reason text that names the machine, and says why the pods cannot run on it
 */
public record Exclusion(String pods, Instant until, int failures, String reason) {

    /** How long the first exclusion lasts if the cause is unknown, or if other pods are the cause. */
    private static final Duration SHORTEST = Duration.ofMinutes(30);

    private static final Duration LONGEST = Duration.ofHours(24);

    /**
     * Returns a provisional exclusion. It lasts until the node of a newly joined machine is old enough to have all of its labels. It does
     * not count as a failure yet.
     */
    static Exclusion provisional(String pods, Instant until, String reason) {
        return new Exclusion(pods, until, 0, reason);
    }

    /**
     * Returns the exclusion after one more machine joined for the pods and could not run them.
     *
     * @param before the number of earlier machines that joined for the pods and could not run them
     * @param lasting whether the cause lies in the machine itself, so that the next machine will not help either
     */
    static Exclusion after(String pods, int before, boolean lasting, String reason, Instant now) {
        var lasts = lasting ? LONGEST : Durations.doubled(SHORTEST, before, LONGEST);
        return new Exclusion(pods, now.plus(lasts), before + 1, reason);
    }

    public boolean active(Instant now) {
        return now.isBefore(until);
    }

    /** Whether the pods may still be able to run on the machine, once its node has all of its labels. */
    public boolean isProvisional() {
        return failures == 0;
    }

    /** Whether this exclusion makes an earlier exclusion superfluous. */
    boolean replaces(Exclusion earlier) {
        return pods.equals(earlier.pods) && (!isProvisional() || earlier.isProvisional());
    }

    /** Whether the exclusion has no effect any more, not even on the length of the next exclusion. */
    boolean isForgotten(Instant now) {
        return !active(now) && (isProvisional() || !now.isBefore(until.plus(LONGEST)));
    }
}
