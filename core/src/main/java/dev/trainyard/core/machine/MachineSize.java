package dev.trainyard.core.machine;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.util.Map;

/**
 * A size of machine that a cloud offers. Immutable.
 *
 * @param name as the cloud writes it: {@code Standard_NC6}, {@code p3.2xlarge}
 * @param cpus number of the machine's hardware threads
 * @param memory memory of the machine in bytes; its node reports less
 * @param gpus number of GPUs that the node reports to Kubernetes
 * @param gpu kind of the GPUs
 * @param pods number of pods that the machine can run in the cloud's default setup
 */
public record MachineSize(Cloud cloud, String name, int cpus, long memory, int gpus, GpuKind gpu, int pods) {

    /** @throws IllegalArgumentException if a number is too small for a real machine */
    public MachineSize {
        if (cpus < 1 || memory < 1 || gpus < 0 || pods < 1) {
            throw new IllegalArgumentException(
                    "%s: expected at least 1 CPU, 1 byte of memory, 0 GPUs and 1 pod, but found %d CPUs, %d bytes of memory, %d GPUs and %d pods"
                            .formatted(name, cpus, memory, gpus, pods));
        }
    }

    /** Returns an estimate of an empty node's allocatable resources. The estimate is conservative: see {@link Reservation}. */
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
