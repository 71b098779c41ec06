package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceNode;
import dev.trainyard.bench.scoring.trace.TraceShape;

/**
 * The scores of kube-scheduler's own plugins, as computed in Kubernetes 1.36: {@code pkg/scheduler/framework/plugins/noderesources}. Scores
 * are integers from 0 to {@value #BEST}, and each division truncates. Plugins that score all machines of a trace equally are left out.
 */
final class InTree {

    static final int BEST = 100;

    private InTree() {}

    /** Weights of resources in {@code NodeResourcesFit}; a weight of 0 excludes the resource. */
    record Weights(int gpu, int cpu, int memory) {}

    /** Returns the score of an unconfigured cluster: {@code NodeResourcesFit} with LeastAllocated, plus BalancedAllocation. */
    static NodeScore kubeDefault() {
        return (machine, pod) -> leastAllocated(machine, pod) + balancedAllocation(machine, pod);
    }

    /**
     * Returns the score of {@code NodeResourcesFit} with MostAllocated. Only GPUs of whole-GPU pods are included, because pods do not
     * request shared GPUs from the scheduler. As in the plugin, GPUs do not affect the score of a pod that requests none.
     */
    static NodeScore mostAllocated(Weights weights) {
        return (machine, pod) -> {
            var node = machine.node();
            long sum = 0;
            long weight = 0;
            if (pod.gpus() > 0 && !pod.isShare()) {
                sum += weights.gpu() * used(machine.gpusOfWholePods() + (long) pod.gpus(), node.gpus());
                weight += weights.gpu();
            }
            sum += weights.cpu() * used(cpuAfter(machine, pod), node.cpuMilli());
            weight += node.cpuMilli() == 0 ? 0 : weights.cpu();
            sum += weights.memory() * used(memoryAfter(machine, pod), node.memoryMib());
            weight += node.memoryMib() == 0 ? 0 : weights.memory();
            return weight == 0 ? 0 : (int) (sum / weight);
        };
    }

    /** Returns the MostAllocated score of GPUs alone, as if the scheduler counted parts of GPUs. */
    static NodeScore mostAllocatedGpu() {
        return (machine, pod) -> {
            long all = (long) machine.node().gpus() * TraceShape.WHOLE;
            return (int) used(all - machine.freeMilli() + pod.totalMilli(), all);
        };
    }

    private static int leastAllocated(TraceMachine machine, TraceShape pod) {
        var node = machine.node();
        long sum = 0;
        int weight = 0;
        if (node.cpuMilli() > 0) {
            sum += (node.cpuMilli() - cpuAfter(machine, pod)) * BEST / node.cpuMilli();
            weight++;
        }
        if (node.memoryMib() > 0) {
            sum += (node.memoryMib() - memoryAfter(machine, pod)) * BEST / node.memoryMib();
            weight++;
        }
        return weight == 0 ? 0 : (int) (sum / weight);
    }

    /** Returns a score that is higher if the pod brings the used shares of CPU and memory closer together; about 75 if nothing changes. */
    private static int balancedAllocation(TraceMachine machine, TraceShape pod) {
        if (pod.cpuMilli() == 0 && pod.memoryMib() == 0) {
            return 0; // the plugin skips pods without requests
        }
        var node = machine.node();
        int after = balance(node, cpuAfter(machine, pod), memoryAfter(machine, pod));
        int before =
                balance(node, node.cpuMilli() - machine.freeCpuMilli(), node.memoryMib() - machine.freeMemoryMib());
        return BEST / 2 + (BEST / 2 + after - before) / 2;
    }

    private static int balance(TraceNode node, long usedCpuMilli, long usedMemoryMib) {
        if (node.cpuMilli() == 0 || node.memoryMib() == 0) {
            return BEST; // a single resource is always balanced
        }
        double cpu = (double) usedCpuMilli / node.cpuMilli();
        double memory = (double) usedMemoryMib / node.memoryMib();
        return (int) ((1 - Math.abs((cpu - memory) / 2)) * BEST);
    }

    private static long used(long requested, long all) {
        return all == 0 ? 0 : Math.min(requested, all) * BEST / all;
    }

    private static long cpuAfter(TraceMachine machine, TraceShape pod) {
        return machine.node().cpuMilli() - machine.freeCpuMilli() + pod.cpuMilli();
    }

    private static long memoryAfter(TraceMachine machine, TraceShape pod) {
        return machine.node().memoryMib() - machine.freeMemoryMib() + pod.memoryMib();
    }
}
