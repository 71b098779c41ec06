package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What one more machine of a pool will look like.
 *
 * <p>A promise that the machines do not keep would have the planner buy one machine after another for a pod that fits on none of them. So
 * once a usable node is there, it counts where it is worse than the promise: fewer resources (what DaemonSets take included), labels missing,
 * taints more.
 */
final class Templates {

    private Templates() {}

    static NodeShape correct(Pool pool, List<NodeView> nodes) {
        var promise = pool.promise();
        return nodes.stream()
                .filter(NodeView::usable)
                .max(Comparator.comparing(NodeView::created).thenComparing(NodeView::name))
                .map(node -> worse(promise, node))
                .orElse(promise);
    }

    private static NodeShape worse(NodeShape promise, NodeView node) {
        var labels = new HashMap<>(promise.labels());
        labels.entrySet().retainAll(node.shape().labels().entrySet());
        var taints = Stream.concat(
                        promise.taints().stream(),
                        node.shape().taints().stream().filter(Templates::lasting))
                .distinct()
                .toList();
        return new NodeShape(promise.name(), labels, taints, true, less(promise.allocatable(), node));
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

    /** Kubernetes' own taints (not-ready, unschedulable, pressure) come and go with a node's condition. */
    private static boolean lasting(Taint taint) {
        return !taint.key().startsWith("node.kubernetes.io/")
                && !taint.key().startsWith("node.cloudprovider.kubernetes.io/");
    }
}
