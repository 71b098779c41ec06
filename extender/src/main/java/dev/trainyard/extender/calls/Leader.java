package dev.trainyard.extender.calls;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler that places pods, according to its Lease.
 *
 * @param isOurs whether the leader is the scheduler beside us
 * @param since when this scheduler became the leader
 */
record Leader(boolean isOurs, Instant since) {

    /** The result without a leader election: the scheduler beside us places pods. */
    private static final Leader ANY = new Leader(true, Instant.MIN);

    /**
     * Returns the leader that a Lease names. Treats an expired Lease like a missing one, because an expired Lease is left over from an
     * earlier election.
     *
     * @param lease null if there is none
     * @param hostName host name of the scheduler beside us, which enters itself into the Lease as {@code <host name>_<UUID>}
     */
    static Leader of(@Nullable Lease lease, String hostName, Instant now) {
        var spec = lease == null ? null : lease.getSpec();
        if (spec == null
                || spec.getHolderIdentity() == null
                || spec.getHolderIdentity().isEmpty()) {
            return ANY;
        }
        var renewed = instant(spec.getRenewTime());
        var seconds = Optional.ofNullable(spec.getLeaseDurationSeconds()).orElse(0);
        if (renewed.plus(Duration.ofSeconds(seconds)).isBefore(now)) {
            return ANY;
        }
        return new Leader(spec.getHolderIdentity().startsWith(hostName + "_"), instant(spec.getAcquireTime()));
    }

    /** Whether the scheduler beside us was the leader when the pod was placed. */
    boolean isOursAt(Instant placed) {
        return isOurs && since.isBefore(placed.minus(CallWatch.GRACE));
    }

    private static Instant instant(@Nullable ZonedDateTime time) {
        return time == null ? Instant.EPOCH : time.toInstant();
    }
}
