package dev.trainyard.core.machine;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.util.Map;

/**
 * A size of machine as its cloud sells it. Immutable.
 *
 * @param name as the cloud writes it: {@code Standard_NC6}, {@code p3.2xlarge}
 * @param cpus of the machine, threads counted one by one
 * @param memory of the machine, in bytes; a node shows less
 * @param gpus that Kubernetes would count
 * @param gpu what kind they are
 * @param pods that it may run as the cloud sets it up
 */
public record MachineSize(Cloud cloud, String name, int cpus, long memory, int gpus, GpuKind gpu, int pods) {

    /** @throws IllegalArgumentException for a machine that cannot be */
    public MachineSize {
        if (cpus < 1 || memory < 1 || gpus < 0 || pods < 1) {
            throw new IllegalArgumentException(
                    "%s: a machine has CPUs, memory and room for pods; stated are %d, %d bytes, %d GPUs, %d pods"
                            .formatted(name, cpus, memory, gpus, pods));
        }
    }

    /** About what pods may take of an empty node, rather too little than too much: see {@link Reservation}. */
    public Resources allocatable() {
        return Resources.of(Map.of(
                ResourceNames.CPU,
                cpus * 1000L - Reservation.millicores(this),
                ResourceNames.MEMORY,
                Reservation.memoryLeft(this),
                ResourceNames.GPU,
                (long) gpus,
                ResourceNames.PODS,
                (long) pods));
    }
}
