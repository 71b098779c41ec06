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
 * What one more machine of a pool will look like.
 *
 * <p>A promise that the machines do not keep would have the planner buy one machine after another for a pod that fits on none of them. So
 * once a node is in service, it counts where it has fewer resources than promised (what DaemonSets take included). Until then, what
 * DaemonSets will take is reckoned from what they ask for. Labels and taints are as promised: what somebody put on one node, or took from
 * it, says nothing of the next machine.
 */
final class Templates {

    /** One machine may be an exception. */
    private static final int ENOUGH_TO_TELL = 2;

    private static final Map<String, String> DISCOVERED =
            Map.of("nvidia.com/gpu.present", "true", "feature.node.kubernetes.io/pci-10de.present", "true");

    /** Beginning of the labels by which the GPU operator sends each of its DaemonSets to a node. */
    private static final String DEPLOYED = "nvidia.com/gpu.deploy.";

    private Templates() {}

    static NodeShape correct(Pool pool, List<NodeView> nodes, List<Daemon> daemons) {
        var promise = pool.newNode();
        // A node that an operator works on, that goes, or that lost a GPU shows less than it had.
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

    /** One whose pod asks for more than there is leaves the rest to others, as on a real node: it is the one that does not fit. */
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
     * With the labels that a machine with NVIDIA's GPUs gets where their DaemonSets run, and that promises seldom name: those of Node Feature
     * Discovery, and of the GPU operator ("GPU Operator" and "Kubernetes device plugin" in NVIDIA's documentation).
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

    /** What a promise keeps silent about and every machine has, keeps pods off the next one as well: it would be bought in vain. */
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

    /** A promised label that no machine has will not be on the next one either. */
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
        // What disk and huge pages a machine has is a matter of its image and its template, and promises seldom say so.
        real.asMap().forEach((name, amount) -> {
            if (name.equals(ResourceNames.EPHEMERAL_STORAGE) || name.startsWith(ResourceNames.HUGE_PAGES)) {
                amounts.putIfAbsent(name, Math.max(0, amount));
            }
        });
        return Resources.of(amounts);
    }
}
