package dev.trainyard.extender.score;

import dev.trainyard.extender.gpu.GpuRoom;
import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.Workload;

/**
 * Fragmentation gradient descent: the node where the pod makes the fewest GPUs useless for what is usually asked for; among nearly equal
 * ones the one that it fills most.
 *
 * <p>The measure is that of Weng et al., "Beware of Fragmentation" (USENIX ATC'23): the fragment of a node, in the eyes of a class of
 * pods, is what such a pod cannot use of its free GPUs; all of them if it could not run there at all.
 */
final class Fragmentation implements ScorePolicy {

    private static final int LEVEL = 20; // thousandths of a GPU

    private final Workload workload;

    Fragmentation(Workload workload) {
        this.workload = workload;
    }

    @Override
    public Rating rate(PodClass pod, NodeState node) {
        var after = node.gpus().after(pod.gpus());
        if (after == null) {
            return new Rating(Long.MAX_VALUE / 100, 0);
        }
        double growth = fragment(node, after, node.freeCpu() - pod.cpu(), node.freeMemory() - pod.memory())
                - fragment(node, node.gpus(), node.freeCpu(), node.freeMemory());
        double leftover = Leftover.ofCpuAndMemory(pod, node)
                + (double) after.total() / Math.max(1, 1000L * node.gpus().gpus());
        return new Rating(Math.round(growth / LEVEL), leftover);
    }

    private double fragment(NodeState node, GpuRoom gpus, long cpu, long memory) {
        double sum = 0;
        for (var typical : workload.typical()) {
            sum += typical.share() * fragment(typical.pod(), node, gpus, cpu, memory);
        }
        return sum;
    }

    private static double fragment(PodClass pod, NodeState node, GpuRoom gpus, long cpu, long memory) {
        boolean runs = !pod.gpus().isNone()
                && pod.cpu() <= cpu
                && pod.memory() <= memory
                && pod.wish().isMetBy(node.kind())
                && gpus.countWith(pod.gpus().milli()) >= pod.gpus().count();
        return runs ? gpus.leftBelow(pod.gpus().milli()) : gpus.total();
    }
}
