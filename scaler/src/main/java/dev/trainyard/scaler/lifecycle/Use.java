package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import java.util.List;

/** How much of a machine is used for what it is there for: DaemonSets' pods and the kubelet's own do not count. */
final class Use {

    private Use() {}

    /**
     * The share of the resource that is used most. Of a machine with GPUs only they count, as in Cluster Autoscaler: they are what is paid
     * for, and a machine whose cores feed no GPU stands about.
     *
     * @return 0 when nothing is used; more than 1 when the machine is over-committed
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

    /** Whether something is on it, and so little that the machine may be emptied. */
    static boolean isLittle(NodeView node) {
        return !node.trainingPods().isEmpty()
                && node.pool()
                        .filter(pool -> of(node) < pool.utilizationBelow())
                        .isPresent();
    }

    /** In words. */
    static String words(NodeView node) {
        int pods = node.trainingPods().size();
        return (pods == 1 ? "1 pod uses " : pods + " pods use ") + Math.round(of(node) * 100) + " % of "
                + (node.shape().allocatable().gpus() > 0 ? "its GPUs" : "it");
    }
}
