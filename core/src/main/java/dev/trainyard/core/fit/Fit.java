package dev.trainyard.core.fit;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pod.NodeTerm;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.Toleration;
import dev.trainyard.core.resource.Resources;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Could this pod run on that node, whatever other pods are there? The one answer to that question, for the extender, the scaler and
 * simulations. What other pods have to do with it is answered by {@link Neighbourhood}.
 *
 * <p>Follows kube-scheduler's filters NodeUnschedulable, NodeAffinity, TaintToleration and NodeResourcesFit
 * ({@code pkg/scheduler/framework/plugins} in kubernetes/kubernetes), and what the extender adds to them: the kind of GPU wished for. What it does not model stands in
 * {@link PodShape#unmodelled()}.
 */
public final class Fit {

    private Fit() {}

    /**
     * Checks whether a pod fits a node.
     *
     * @param free what is left of the node's allocatable resources
     * @return empty when the pod fits
     */
    public static Optional<Misfit> check(PodShape pod, NodeShape node, Resources free) {
        var misplaced = checkPlacement(pod, node);
        if (misplaced.isPresent()) {
            return misplaced;
        }
        var lacking = free.firstLacking(pod.requests());
        if (lacking == null) {
            return Optional.empty();
        }
        boolean curable = pod.requests().get(lacking) <= node.allocatable().get(lacking);
        return Optional.of(Misfit.lacking(lacking, curable));
    }

    /** {@link #check} for an empty node. */
    public static Optional<Misfit> checkEmpty(PodShape pod, NodeShape node) {
        return check(pod, node, node.allocatable());
    }

    /** Everything but resources: what no pod's leaving can change. */
    public static Optional<Misfit> checkPlacement(PodShape pod, NodeShape node) {
        if (!node.schedulable() && !toleratesCordon(pod)) {
            return Optional.of(new Misfit("node(s) were unschedulable", false));
        }
        if (!selects(pod.nodeSelector(), pod.nodeTerms(), node.name(), node.labels())) {
            return Optional.of(new Misfit("node(s) didn't match Pod's node affinity/selector", false));
        }
        var mismatch = pod.wish().mismatch(node.gpu());
        if (mismatch.isPresent()) {
            return Optional.of(new Misfit(mismatch.get().reason(), false));
        }
        return node.taints().stream()
                .filter(Taint::repels)
                .filter(taint -> !tolerate(pod.tolerations(), taint))
                .findFirst()
                .map(taint -> new Misfit(
                        "node(s) had untolerated taint {%s: %s}".formatted(taint.key(), taint.valueOrEmpty()), false));
    }

    /** Whether a node selector and required node affinity allow that node. */
    static boolean selects(
            Map<String, String> nodeSelector,
            List<NodeTerm> nodeTerms,
            String nodeName,
            Map<String, String> nodeLabels) {
        boolean selected = nodeSelector.entrySet().stream()
                .allMatch(wanted -> wanted.getValue().equals(nodeLabels.get(wanted.getKey())));
        return selected
                && (nodeTerms.isEmpty() || nodeTerms.stream().anyMatch(term -> term.matches(nodeName, nodeLabels)));
    }

    static boolean tolerate(List<Toleration> tolerations, Taint taint) {
        return tolerations.stream().anyMatch(toleration -> toleration.tolerates(taint));
    }

    /** DaemonSet pods tolerate the taint that a cordon stands for, and the scheduler lets them pass. */
    private static boolean toleratesCordon(PodShape pod) {
        return tolerate(pod.tolerations(), new Taint("node.kubernetes.io/unschedulable", null, Taint.NO_SCHEDULE));
    }
}
