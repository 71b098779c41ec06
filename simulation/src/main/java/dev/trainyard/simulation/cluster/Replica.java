package dev.trainyard.simulation.cluster;

import dev.trainyard.scaler.Tenure;
import dev.trainyard.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A process of the scaler that stands for election, and makes rounds while it leads. One that loses the Lease ends. */
public final class Replica {

    private final String identity;
    private final VirtualTime time;
    private final Lease lease;
    private final Function<Replica, ScalerProcess> leads;
    private final Runnable ended;
    private @Nullable ScalerProcess process;
    private long frozenUntil;
    private long cutOffUntil;
    private final Tenure tenure;
    private boolean gone;

    /**
     * @param leads begins to make rounds
     * @param ended told when the process is gone
     */
    Replica(String identity, VirtualTime time, Lease lease, Function<Replica, ScalerProcess> leads, Runnable ended) {
        this.identity = identity;
        this.time = time;
        this.lease = lease;
        this.leads = leads;
        this.ended = ended;
        this.tenure = new Tenure(time::nanos);
        time.after(Duration.ZERO, this::tick);
    }

    public String identity() {
        return identity;
    }

    /** For how long it may act. */
    Tenure tenure() {
        return tenure;
    }

    /** What it watches, while it leads. */
    public Optional<ScalersCluster.Watched> watched() {
        return Optional.ofNullable(process).map(ScalerProcess::watched);
    }

    /** Nothing of it goes on for so long, as in a collection of garbage; called by what it does itself, it stands still there. */
    public void freeze(Duration length) {
        frozenUntil = time.nanos() + length.toNanos();
        time.passTo(frozenUntil);
    }

    /** For so long its requests about the Lease get no answer; others do. */
    public void cutOff(Duration length) {
        cutOffUntil = time.nanos() + length.toNanos();
    }

    /** As {@code kill -9}. */
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
                tenure.renewed(time.nanos());
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

    /** Somebody else holds it, or nobody has said for too long that it does. */
    private boolean isOver() {
        return time.nanos() >= cutOffUntil || !tenure.lasts();
    }
}
