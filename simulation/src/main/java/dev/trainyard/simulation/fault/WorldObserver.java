package dev.trainyard.simulation.fault;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Round;
import dev.trainyard.scaler.observe.PodOnNode;

/** Sees what is done in a world in which things go wrong, before it is done. */
public interface WorldObserver {

    /** Looks at nothing. */
    WorldObserver NONE = new WorldObserver() {};

    /** More machines are asked for. */
    default void grows(Pool pool, int from, int to) {}

    /** There are no machines for an order. */
    default void fails(Pool pool) {}

    /** A machine goes because it was ordered to. */
    default void terminates(Pool pool, String machine) {}

    /** The scaler evicts a pod. */
    default void evicts(PodOnNode pod) {}

    /** The scaler deletes a node. */
    default void deletes(String node) {}

    /** Another process of the scaler leads. */
    default void leads() {}

    /** Somebody sets the clock on the wall. */
    default void clockIsSet() {}

    /** Somebody sets the size of a pool in the cloud. */
    default void sizeIsSet(String pool) {}

    /** A round has ended. */
    default void ended(Round.Result round) {}

    /** A round has failed, or a step of one, and not because the API server refused something. */
    default void failed(RuntimeException problem) {}
}
