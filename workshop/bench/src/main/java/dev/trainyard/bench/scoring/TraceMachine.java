package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceNode;
import dev.trainyard.bench.scoring.trace.TraceShape;
import java.util.Arrays;

/** A machine of a trace and its free resources. Not thread-safe. */
final class TraceMachine {

    private final TraceNode node;
    private final int[] freeMilli;
    private long freeCpuMilli;
    private long freeMemoryMib;
    private int gpusOfWholePods;
    private int version;

    // The largest free part of a device, and the number of unused devices. With these values, a check for free GPUs
    // need not read freeMilli.
    private int largest;
    private int untouched;

    TraceMachine(TraceNode node) {
        this.node = node;
        freeMilli = new int[node.gpus()];
        Arrays.fill(freeMilli, TraceShape.WHOLE);
        freeCpuMilli = node.cpuMilli();
        freeMemoryMib = node.memoryMib();
        countDevices();
    }

    TraceNode node() {
        return node;
    }

    long freeCpuMilli() {
        return freeCpuMilli;
    }

    long freeMemoryMib() {
        return freeMemoryMib;
    }

    int freeMilli(int device) {
        return freeMilli[device];
    }

    /** Returns the free thousandths of GPUs, summed over all devices. */
    int freeMilli() {
        int sum = 0;
        for (int free : freeMilli) {
            sum += free;
        }
        return sum;
    }

    /** Returns a copy of the free thousandths of each device. */
    int[] devices() {
        return freeMilli.clone();
    }

    /** Returns the number of GPUs in use as the scheduler counts them, which excludes shares of GPUs. */
    int gpusOfWholePods() {
        return gpusOfWholePods;
    }

    /** Returns a version number, which every change increases. */
    int version() {
        return version;
    }

    /** Whether the pod fits: its CPU, memory and devices are free, and it accepts the GPU model. All policies use this check. */
    boolean fits(TraceShape pod) {
        return pod.cpuMilli() <= freeCpuMilli
                && pod.memoryMib() <= freeMemoryMib
                && (pod.isShare() ? pod.gpuMilli() <= largest : pod.gpus() <= untouched)
                && pod.accepts(node.model());
    }

    /**
     * Returns the devices that a sharing device plugin would choose: for a share of a GPU, the fullest device with enough capacity left;
     * for whole GPUs, the first unused devices.
     */
    int[] bestFittingDevices(TraceShape pod) {
        if (!pod.isShare()) {
            return untouchedDevices(pod.gpus());
        }
        int best = -1;
        for (int device = 0; device < freeMilli.length; device++) {
            if (freeMilli[device] >= pod.gpuMilli() && (best < 0 || freeMilli[device] < freeMilli[best])) {
                best = device;
            }
        }
        if (best < 0) {
            throw new IllegalStateException("no GPU of node %s is free enough for %s".formatted(node.name(), pod));
        }
        return new int[] {best};
    }

    /** @throws IllegalStateException if the pod would over-commit the machine */
    void take(TraceShape pod, int[] devices) {
        if (pod.cpuMilli() > freeCpuMilli || pod.memoryMib() > freeMemoryMib || devices.length != pod.gpus()) {
            throw overCommitted(pod, devices);
        }
        for (int device : devices) {
            if (freeMilli[device] < pod.gpuMilli()) {
                throw overCommitted(pod, devices);
            }
            freeMilli[device] -= pod.gpuMilli();
        }
        freeCpuMilli -= pod.cpuMilli();
        freeMemoryMib -= pod.memoryMib();
        gpusOfWholePods += pod.isShare() ? 0 : pod.gpus();
        version++;
        countDevices();
    }

    private int[] untouchedDevices(int count) {
        var devices = new int[count];
        int found = 0;
        for (int device = 0; device < freeMilli.length && found < count; device++) {
            if (freeMilli[device] == TraceShape.WHOLE) {
                devices[found++] = device;
            }
        }
        if (found < count) {
            throw new IllegalStateException(
                    "node %s has only %d unused GPUs; the pod requests %d".formatted(node.name(), found, count));
        }
        return devices;
    }

    private void countDevices() {
        largest = 0;
        untouched = 0;
        for (int free : freeMilli) {
            largest = Math.max(largest, free);
            untouched += free == TraceShape.WHOLE ? 1 : 0;
        }
    }

    private IllegalStateException overCommitted(TraceShape pod, int[] devices) {
        return new IllegalStateException("%s (free: %d mCPU, %d MiB, GPUs %s) would be over-committed by %s on GPUs %s"
                .formatted(
                        node.name(),
                        freeCpuMilli,
                        freeMemoryMib,
                        Arrays.toString(freeMilli),
                        pod,
                        Arrays.toString(devices)));
    }
}
