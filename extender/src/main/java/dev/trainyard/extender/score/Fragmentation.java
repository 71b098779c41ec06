package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.TypicalWorkload;

/**
 * A policy of least fragmentation. It prefers the node where the pod makes the fewest GPUs useless for typical pods, and among nearly equal
 * nodes the one that the pod fills most.
 *
 * <p>The idea and the order of keys are from Weng et al., "Beware of Fragmentation" (USENIX ATC'23). There, the fragment of a node is the
 * part that one pod of a typical class could not use. Here, it is the part that is left after typical pods have arrived until nothing more
 * fits ({@link Futures}). This includes GPUs that will be stranded when the CPUs run out, and the small rests that two or three shares
 * leave of a GPU. {@code docs/decisions/0012} states the gain.
 */
final class Fragmentation implements ScorePolicy {

    /** The size of a level, in thousandths of a GPU. Smaller differences are noise of the sample. */
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

    /** Returns the published BestFit. It divides by the largest machine of its trace, to compare amounts and not shares of a node. */
    private static double leftover(PodClass pod, IndexedState node, int gpus) {
        return (node.freeCpu() - pod.cpu()) / 128_000.0 + gpus / 8_000.0;
    }
}
