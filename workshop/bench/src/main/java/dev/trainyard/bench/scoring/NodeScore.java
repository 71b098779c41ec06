package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceShape;

/** A score of a machine for a pod that fits it; higher is better. Equal machines and pods have equal scores. */
@FunctionalInterface
interface NodeScore {

    int of(TraceMachine machine, TraceShape pod);

    /** Returns the indexes of the GPUs (devices) for the pod on the chosen machine. */
    default int[] devices(TraceMachine machine, TraceShape pod) {
        return machine.bestFittingDevices(pod);
    }
}
