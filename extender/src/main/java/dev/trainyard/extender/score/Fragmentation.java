package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.TypicalWorkload;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A policy of least fragmentation. It prefers the node where the pod makes the fewest GPUs useless for typical pods, and for large typical
 * pods in particular. Among nearly equal nodes it prefers the node with the least free resources afterwards.
 *
 * <p>The idea and the order of the criteria are from Weng et al., "Beware of Fragmentation" (USENIX ATC'23). In that paper, the fragment of
 * a node is the part of its GPUs that one pod of a typical class could not use. Here, the fragment is the part that is left when typical
 * pods have filled the node ({@link Futures}). This includes GPUs that are stranded when the CPUs run out, and the small rests of a GPU
 * that two or three shares leave. {@code docs/decisions/0012} states the gain. To the fragment, this policy adds the lost
 * {@link LargePodCapacity}: see {@code docs/decisions/0076}.
 */
final class Fragmentation implements ScorePolicy {

    /** The step of {@link Rating#level}, in thousandths of a GPU. Smaller differences are sampling noise. */
    private static final double LEVEL = 10;

    /**
     * The weight of lost capacity for large pods, relative to the fragment. A lower weight leaves more large pods without a node. A higher
     * weight strands more GPUs.
     */
    private static final double WEIGHT_OF_LARGE = 3;

    /** The number of known losses at which all of them are forgotten. */
    private static final int MOST_KNOWN = 100_000;

    private final Futures futures;
    private final LargePodCapacity large;
    private final Map<Room, Double> losses = new ConcurrentHashMap<>();

    Fragmentation(TypicalWorkload workload) {
        this.futures = Futures.of(workload);
        this.large = LargePodCapacity.of(workload);
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
        double loss = loss(after) - loss(before);
        return new Rating(Math.round(loss / LEVEL), leftover(pod, node, left.total()));
    }

    /** Returns the fragment of a node, less its weighted capacity for large pods. Only differences between two results have a meaning. */
    private double loss(Room room) {
        var known = losses.get(room);
        if (known != null) {
            return known;
        }
        double loss = futures.fragment(room) - WEIGHT_OF_LARGE * large.usable(room);
        if (losses.size() >= MOST_KNOWN) {
            losses.clear();
        }
        losses.put(room, loss);
        return loss;
    }

    /**
     * Returns the measure of BestFit in the paper. Free CPUs and GPUs are divided by those of the largest machine in the paper's trace, and
     * not by those of the node. So nodes of different sizes are compared by the amount that stays free, not by the share.
     */
    private static double leftover(PodClass pod, IndexedState node, int gpus) {
        return (node.freeCpu() - pod.cpu()) / 128_000.0 + gpus / 8_000.0;
    }
}
