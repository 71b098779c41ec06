package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceShape;

/** How good a machine, on which the pod fits, is for it; the greater is the better. Equal machines and pods, equal scores. */
@FunctionalInterface
interface NodeScore {

    int of(Machine machine, TraceShape pod);

    /** Which devices of the machine that won the pod gets. */
    default int[] devices(Machine machine, TraceShape pod) {
        return machine.bestFittingDevices(pod);
    }
}
