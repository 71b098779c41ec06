package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceShape;

/** A scheduler that chooses machines for pods, one after the other. Not thread-safe. */
interface Placer extends AutoCloseable {

    /** Reports a new pending pod. */
    default void arrived(int pod, TraceShape shape) {}

    /**
     * Chooses a machine among the candidates, and returns its index; negative if no candidate is acceptable. The pod fits each candidate.
     *
     * @param candidates machine indexes, in the first {@code count} places; the caller reuses the array
     */
    int choose(int pod, TraceShape shape, int[] candidates, int count);

    /** Returns the indexes of the GPUs (devices) for the pod on the given machine. */
    int[] devices(int machine, TraceShape shape);

    /** Reports that the pod runs on the machine. The pod's requests are already subtracted from the machine's free resources. */
    default void bound(int pod, TraceShape shape, int machine, int[] devices) {}

    @Override
    default void close() {}
}
