package dev.trainyard.simulation.fault;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.PodOnNode;
import java.time.Duration;

/** An observer of a cluster with faults. Actions of the scaler are reported before they are executed. */
public interface WorldObserver {

    /** An observer that ignores everything. */
    WorldObserver NONE = new WorldObserver() {};

    /** Reports a request for more machines. */
    default void grows(Pool pool, int from, int to) {}

    /** Reports that the cloud has no machines for a request. */
    default void fails(Pool pool) {}

    /** Reports the termination of a machine by request. */
    default void terminates(Pool pool, String machine) {}

    /** Reports an eviction by the scaler. */
    default void evicts(PodOnNode pod) {}

    /** Reports the deletion of a node by the scaler. */
    default void deletes(String node) {}

    /** Reports that another scaler process leads. */
    default void leads() {}

    /** Reports that the wall clock was changed by this time, which is negative if the clock was set back. */
    default void clockIsSet(Duration by) {}

    /** Reports that a person changed the size of a pool in the cloud. */
    default void sizeIsSet(String pool) {}

    /** Reports the result of a round of the scaler. */
    default void ended(Round.Result round) {}

    /** Reports that a round, or a step of a round, failed. Refusals of the API server are not reported. */
    default void failed(RuntimeException problem) {}
}
