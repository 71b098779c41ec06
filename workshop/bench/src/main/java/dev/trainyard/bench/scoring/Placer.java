package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceShape;

/** A scheduler that chooses machines for pods, one after the other. Not thread-safe. */
interface Placer extends AutoCloseable {

    /** Reports a new pending pod. */
    default void arrived(int pod, TraceShape shape) {}

    /**
     * Chooses one of the candidates. The pod fits each of them. Negative if none is acceptable.
     *
     * @param candidates machine indexes; the array must not be retained
     */
    int choose(int pod, TraceShape shape, int[] candidates, int count);

    /** Returns the devices for the pod on the given machine. */
    int[] devices(int machine, TraceShape shape);

    /** Reports that the pod runs on the machine, whose free resources already exclude the pod's. */
    default void bound(int pod, TraceShape shape, int machine, int[] devices) {}

    @Override
    default void close() {}
}
