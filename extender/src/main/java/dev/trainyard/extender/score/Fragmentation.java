package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.TypicalWorkload;

/**
 * A policy of least fragmentation. It prefers the node where the pod makes the fewest GPUs useless for typical pods, and among nearly equal
 * nodes the node with the least free resources afterwards.
 *
 * <p>The idea and the order of the criteria are from Weng et al., "Beware of Fragmentation" (USENIX ATC'23). In that paper, the fragment of
 * a node is the part of its GPUs that one pod of a typical class could not use. Here, the fragment is the part that is left when typical
 * pods have filled the node ({@link Futures}). This includes GPUs that are stranded when the CPUs run out, and the small rests of a GPU
 * that two or three shares leave. {@code docs/decisions/0012} states the gain.
 */
final class Fragmentation implements ScorePolicy {

    /** The step of {@link Rating#level}, in thousandths of a GPU. Smaller differences are sampling noise. */
    private static final double LEVEL = 10;

    private final Futures futures;

    Fragmentation(TypicalWorkload workload) {
        this.futures = Futures.of(workload);
    }

    @Override
    public Rating rate(PodClass pod, IndexedState node) {
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

    /**
     * Returns the measure of BestFit in the paper. Free CPUs and GPUs are divided by those of the largest machine in the paper's trace, and
     * not by those of the node. So nodes of different sizes are compared by the amount that stays free, not by the share.
     */
    private static double leftover(PodClass pod, IndexedState node, int gpus) {
        return (node.freeCpu() - pod.cpu()) / 128_000.0 + gpus / 8_000.0;
    }
}
