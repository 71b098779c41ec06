package dev.trainyard.simulation.cluster;

import dev.trainyard.scaler.leadership.LeaseValidity;
import dev.trainyard.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A scaler process that takes part in the leader election and makes rounds while it leads. The process ends if it loses the Lease. */
public final class Replica {

    private final String identity;
    private final VirtualTime time;
    private final Lease lease;
    private final Function<Replica, ScalerProcess> leads;
    private final Runnable ended;
    private @Nullable ScalerProcess process;
    private long frozenUntil;
    private long cutOffUntil;
    private final LeaseValidity leaseValidity;
    private boolean gone;

    /**
     * @param leads starts the scaler's rounds when this process becomes the leader
     * @param ended runs when the process has ended
     */
    Replica(String identity, VirtualTime time, Lease lease, Function<Replica, ScalerProcess> leads, Runnable ended) {
        this.identity = identity;
        this.time = time;
        this.lease = lease;
        this.leads = leads;
        this.ended = ended;
        this.leaseValidity = new LeaseValidity(time::nanos);
        time.after(Duration.ZERO, this::tick);
    }

    public String identity() {
        return identity;
    }

    /** Returns the validity of the Lease, which limits how long this process may act as the leader. */
    LeaseValidity leaseValidity() {
        return leaseValidity;
    }

    /** Returns the watches of this process; empty if it has never led. */
    public Optional<ScalersCluster.Watched> watched() {
        return Optional.ofNullable(process).map(ScalerProcess::watched);
    }

    /** Suspends the process for the given time, as a garbage collection does. The method returns when this virtual time has passed. */
    public void freeze(Duration length) {
        frozenUntil = time.nanos() + length.toNanos();
        time.passTo(frozenUntil);
    }

    /** Makes requests for the Lease fail for the given time. Other requests work. */
    public void cutOff(Duration length) {
        cutOffUntil = time.nanos() + length.toNanos();
    }

    /** Kills the process, as {@code kill -9} does. */
    public void kill() {
        if (!gone) {
            gone = true;
            if (process != null) {
                process.kill();
            }
            ended.run();
        }
    }

    private void tick() {
        if (gone) {
            return;
        }
        if (time.nanos() >= frozenUntil) {
            boolean holds = time.nanos() >= cutOffUntil && lease.take(identity, time.nanos());
            if (holds) {
                leaseValidity.renewed(time.nanos());
            }
            if (holds && process == null) {
                process = leads.apply(this);
            } else if (process != null && !holds && isOver()) {
                kill();
                return;
            }
        }
        time.after(Lease.RETRY, this::tick);
    }

    /**
     * Whether the process must end after it failed to renew the Lease. Unless requests for the Lease fail, a failure means that another
     * process holds the Lease. If the requests fail, the process must end when its last renewal is no longer valid.
     */
    private boolean isOver() {
        return time.nanos() >= cutOffUntil || !leaseValidity.lasts();
    }
}
