package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceShape;

/** Chooses machines for pods, one after the other. Used from one thread. */
interface Placer extends AutoCloseable {

    /** A pod is there, and wants a machine. */
    default void arrived(int pod, TraceShape shape) {}

    /**
     * One of the candidates, all of which the pod fits on; below 0 when none will do.
     *
     * @param candidates machines; not to be kept
     */
    int choose(int pod, TraceShape shape, int[] candidates, int count);

    /** Which devices of that machine the pod gets. */
    int[] devices(int machine, TraceShape shape);

    /** The pod runs on that machine, which has been charged for it. */
    default void bound(int pod, TraceShape shape, int machine, int[] devices) {}

    @Override
    default void close() {}
}
