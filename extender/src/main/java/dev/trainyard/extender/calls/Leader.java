package dev.trainyard.extender.calls;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which scheduler places pods, as far as its Lease tells.
 *
 * @param isOurs whether it is the one beside us
 * @param since when it became that
 */
record Leader(boolean isOurs, Instant since) {

    /** No scheduler takes part in an election: then the one beside us places pods. */
    private static final Leader ANY = new Leader(true, Instant.MIN);

    /**
     * Reads the Lease. One that nobody renews is left over from a time when there was an election.
     *
     * @param lease null when there is none
     * @param hostName of the scheduler beside us; the kube-scheduler calls itself {@code <host name>_<UUID>}
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

    /** Whether it was the scheduler beside us that placed the pod. */
    boolean isOursAt(Instant placed) {
        return isOurs && since.isBefore(placed.minus(CallWatch.GRACE));
    }

    private static Instant instant(@Nullable ZonedDateTime time) {
        return time == null ? Instant.EPOCH : time.toInstant();
    }
}
