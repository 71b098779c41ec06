package dev.trainyard.extender.score;

import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.Workload;

/**
 * Descends the gradient of fragmentation: the node where the pod makes the fewest GPUs useless for what is usually asked for; among
 * nearly equal ones the one that it fills most.
 *
 * <p>The idea, and the order of keys, are those of Weng et al., "Beware of Fragmentation" (USENIX ATC'23), where the fragment of a node is
 * what one pod of a typical class could not use of it. Here it is what would be left over if typical pods went on coming until nothing
 * fits any more ({@link Futures}): that also sees GPUs that will be stranded when the CPUs run out, and the crumbs that two or three shares
 * leave of a GPU. {@code docs/decisions/0012} has what it gains.
 */
final class Fragmentation implements ScorePolicy {

    /** Differences of less are noise of the sample. In thousandths of a GPU. */
    private static final double LEVEL = 10;

    private final Futures futures;

    Fragmentation(Workload workload) {
        this.futures = Futures.of(workload);
    }

    @Override
    public Rating rate(PodClass pod, NodeState node) {
        var left = node.gpus().after(pod.gpus());
        if (left == null) {
            return Rating.NO_ROOM;
        }
        var before = Room.of(node);
        var after = new Room(
                node.kind(),
                Math.max(0, node.freeCpu() - pod.cpu()),
                Math.max(0, node.freeMemory() - pod.memory()),
                left);
        double growth = futures.fragment(after) - futures.fragment(before);
        return new Rating(Math.round(growth / LEVEL), leftover(pod, node, left.total()));
    }

    /** The published BestFit, over the largest machine of its trace, so that it compares amounts and not shares of a node. */
    private static double leftover(PodClass pod, NodeState node, int gpus) {
        return (node.freeCpu() - pod.cpu()) / 128_000.0 + gpus / 8_000.0;
    }
}
