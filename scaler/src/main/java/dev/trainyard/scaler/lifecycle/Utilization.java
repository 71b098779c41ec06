package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import java.util.List;

/** The utilization of a machine by training pods. Pods of DaemonSets and the kubelet's static pods do not count. */
final class Utilization {

    private Utilization() {}

    /**
     * Returns the used share of CPU or memory, whichever is larger. On a machine with GPUs only the GPUs count, as in Cluster Autoscaler:
     * GPUs cause the cost, and cores are wasted if they serve no GPU.
     *
     * @return 0 if nothing is used; more than 1 if the machine is over-committed
     */
    static double of(NodeView node) {
        var used = node.trainingPods().stream().map(PodOnNode::requests).reduce(Resources.NONE, Resources::plus);
        var counted = node.shape().allocatable().gpus() > 0
                ? List.of(ResourceNames.GPU)
                : List.of(ResourceNames.CPU, ResourceNames.MEMORY);
        return counted.stream()
                .filter(name -> node.shape().allocatable().get(name) > 0)
                .mapToDouble(name ->
                        (double) used.get(name) / node.shape().allocatable().get(name))
                .max()
                .orElse(0);
    }

    /** Whether the machine runs training pods, but so few that it may be emptied. */
    static boolean isLittle(NodeView node) {
        return !node.trainingPods().isEmpty()
                && node.pool()
                        .filter(pool -> of(node) < pool.utilizationBelow())
                        .isPresent();
    }

    /** Returns the utilization in words. */
    static String words(NodeView node) {
        int pods = node.trainingPods().size();
        return (pods == 1 ? "1 pod uses " : pods + " pods use ") + Math.round(of(node) * 100) + " % of "
                + (node.shape().allocatable().gpus() > 0 ? "its GPUs" : "the node");
    }
}
