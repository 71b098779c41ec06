package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A prediction of the node that the next machine of a pool will have.
 *
 * <p>If machines have less than their pool promises, the planner would request one machine after another for a pod that fits none of them.
 * So once a node is in service, its real resources replace larger promised resources. The requests of the node's DaemonSet pods and static
 * pods are subtracted from its real resources. Without a node in service, the requests of all DaemonSets that fit are subtracted from the
 * promise. Labels and taints of a single node are ignored, since they may have been changed by hand.
 */
final class Templates {

    /** The minimum number of nodes in service that can correct labels and taints, since a single machine may be an exception. */
    private static final int ENOUGH_TO_TELL = 2;

    private static final Map<String, String> DISCOVERED =
            Map.of("nvidia.com/gpu.present", "true", "feature.node.kubernetes.io/pci-10de.present", "true");

    /** Prefix of the labels by which the GPU operator assigns each of its DaemonSets to a node. */
    private static final String DEPLOYED = "nvidia.com/gpu.deploy.";

    private Templates() {}

    static NodeShape correct(Pool pool, List<NodeView> nodes, List<Daemon> daemons) {
        var promise = pool.newNode();
        // A node that is cordoned, being removed or missing a GPU offers less than a new machine.
        var serving = nodes.stream()
                .filter(node -> node.takesPods() && node.isComplete())
                .toList();
        return serving.stream()
                .max(Comparator.comparing(NodeView::created).thenComparing(NodeView::name))
                .map(node -> new NodeShape(
                        promise.name(),
                        labels(promise, serving),
                        taints(promise, serving),
                        true,
                        measured(pool, node),
                        node.shape().gpu()))
                .orElseGet(() -> withDaemons(promise, daemons));
    }

    /**
     * Subtracts the DaemonSets' requests. If a DaemonSet does not fit, it is skipped as on a real node, and the resources stay free for
     * other DaemonSets.
     */
    private static NodeShape withDaemons(NodeShape promise, List<Daemon> daemons) {
        var free = promise.allocatable();
        for (var daemon : daemons) {
            if (Fit.check(daemon.shape(), discovered(promise, daemon), free).isEmpty()) {
                free = free.minus(daemon.shape().requests());
            }
        }
        return new NodeShape(promise.name(), promise.labels(), promise.taints(), true, free, promise.gpu());
    }

    /**
     * Adds the labels by which NVIDIA's DaemonSets select nodes. A pool's promise seldom has these labels. Node Feature Discovery and the
     * GPU operator set them on machines with NVIDIA's GPUs. Source: "GPU Operator" and "Kubernetes device plugin" in NVIDIA's
     * documentation.
     */
    private static NodeShape discovered(NodeShape promise, Daemon daemon) {
        if (promise.allocatable().get(ResourceNames.GPU) == 0) {
            return promise;
        }
        var labels = new HashMap<>(DISCOVERED);
        daemon.shape().nodeSelector().keySet().stream()
                .filter(key -> key.startsWith(DEPLOYED))
                .forEach(key -> labels.put(key, "true"));
        labels.putAll(promise.labels());
        return new NodeShape(promise.name(), labels, promise.taints(), true, promise.allocatable(), promise.gpu());
    }

    /**
     * Adds taints that every node in service has but the promise lacks. The next machine will have these taints too, so pods without
     * tolerations will not fit it.
     */
    private static List<Taint> taints(NodeShape promise, List<NodeView> serving) {
        var taints = new ArrayList<>(promise.taints());
        if (serving.size() >= ENOUGH_TO_TELL) {
            serving.get(0).shape().taints().stream()
                    .filter(taint -> !taints.contains(taint))
                    .filter(taint -> serving.stream()
                            .allMatch(node -> node.shape().taints().contains(taint)))
                    .forEach(taints::add);
        }
        return taints;
    }

    /** Removes promised labels that no node in service has, since the next machine will not have them either. */
    private static Map<String, String> labels(NodeShape promise, List<NodeView> serving) {
        var labels = new HashMap<>(promise.labels());
        if (serving.size() >= ENOUGH_TO_TELL) {
            labels.entrySet()
                    .removeIf(promised -> !promised.getKey().equals(Names.POOL)
                            && serving.stream()
                                    .noneMatch(node -> promised.getValue()
                                            .equals(node.shape().labels().get(promised.getKey()))));
        }
        return labels;
    }

    private static Resources measured(Pool pool, NodeView node) {
        var daemons = node.pods().stream()
                .filter(pod -> !pod.keepsNodeBusy() && pod.kind() != PodOnNode.Kind.STUCK)
                .map(PodOnNode::requests)
                .reduce(Resources.NONE, Resources::plus);
        var real = node.shape().allocatable().minus(daemons);
        var amounts = new TreeMap<String, Long>();
        pool.promise().allocatable().asMap().forEach((name, amount) -> {
            long most = pool.estimated().contains(name) ? real.get(name) : Math.min(amount, real.get(name));
            amounts.put(name, Math.max(0, most));
        });
        // Disk and huge pages depend on the machine's image and template, and a promise seldom contains them.
        real.asMap().forEach((name, amount) -> {
            if (name.equals(ResourceNames.EPHEMERAL_STORAGE) || name.startsWith(ResourceNames.HUGE_PAGES)) {
                amounts.putIfAbsent(name, Math.max(0, amount));
            }
        });
        return Resources.of(amounts);
    }
}
