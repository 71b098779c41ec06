package dev.trainyard.simulation.cloud;

import dev.trainyard.core.pool.Pool;
import java.time.Duration;

/** Hears of machines. */
public interface Fleet {

    /** A machine is paid for from now on. */
    void made(Pool pool, String machine);

    /** Its kubelet can join. */
    void booted(Pool pool, String machine, String providerId, Duration driver);

    /** It stopped: no pod on it runs any more. */
    void stopped(Pool pool, String machine);

    /** It is gone, and not paid for any more. */
    void gone(Pool pool, String machine);
}
