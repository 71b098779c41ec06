package dev.trainyard.simulation.cloud;

import dev.trainyard.core.pool.Pool;
import java.time.Duration;

/** An observer of the machines of a {@link CloudModel}. */
public interface MachineObserver {

    /** Reports that a machine was created, and is paid for from now on. */
    void made(Pool pool, String machine);

    /** Reports that a machine has booted, so that its kubelet can join. */
    void booted(Pool pool, String machine, String providerId, Duration driver);

    /** Reports that the cloud announces the reclaim of a running machine, which follows after {@code lead}. */
    void announced(Pool pool, String machine, Duration lead);

    /** Reports that the cloud reclaims a running machine, which then stops. */
    void reclaimed(Pool pool, String machine);

    /** Reports that a machine has stopped, with all of its pods. */
    void stopped(Pool pool, String machine);

    /** Reports that a machine is gone, and costs nothing from now on. */
    void gone(Pool pool, String machine);
}
