package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * What one more machine of a pool will look like.
 *
 * <p>A promise that the machines do not keep would have the planner buy one machine after another for a pod that fits on none of them. So
 * once a node is in service, it counts where it has fewer resources than promised (what DaemonSets take included). Labels and taints are as
 * promised: what somebody put on one node, or took from it, says nothing of the next machine.
 */
final class Templates {

    private Templates() {}

    static NodeShape correct(Pool pool, List<NodeView> nodes) {
        var promise = pool.promise();
        return nodes.stream()
                .filter(Templates::inService)
                .max(Comparator.comparing(NodeView::created).thenComparing(NodeView::name))
                .map(node -> new NodeShape(
                        promise.name(), promise.labels(), promise.taints(), true, less(promise.allocatable(), node)))
                .orElse(promise);
    }

    /** A node that an operator works on, or that goes, may show less than it had. */
    private static boolean inService(NodeView node) {
        return node.usable()
                && node.shape().schedulable()
                && node.marks().removal().isEmpty()
                && !node.terminating();
    }

    private static Resources less(Resources promised, NodeView node) {
        var daemons = node.pods().stream()
                .filter(pod -> !pod.keepsNodeBusy())
                .map(PodOnNode::requests)
                .reduce(Resources.NONE, Resources::plus);
        var real = node.shape().allocatable().minus(daemons);
        var amounts = new TreeMap<String, Long>();
        promised.asMap().forEach((name, amount) -> amounts.put(name, Math.max(0, Math.min(amount, real.get(name)))));
        return Resources.of(amounts);
    }
}
