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
 * The check whether a pod could run on a node, regardless of the constraints between pods. The extender, the scaler and the simulations all
 * use this check. {@link PodTopology} checks the constraints between pods.
 *
 * <p>The check follows kube-scheduler's filters NodeUnschedulable, NodeAffinity, TaintToleration and NodeResourcesFit
 * ({@code pkg/scheduler/framework/plugins} in kubernetes/kubernetes). This class also checks the requested kind of GPU, which
 * kube-scheduler leaves to the extender. {@link PodShape#unmodelled()} lists the ignored constraints.
 */
public final class Fit {

    private Fit() {}

    /**
     * Checks whether a pod fits a node.
     *
     * @param free the free part of the node's allocatable resources
     * @return the first reason why the pod does not fit; empty if it fits
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

    /** Checks whether a pod fits an empty node. See {@link #check}. */
    public static Optional<Misfit> checkEmpty(PodShape pod, NodeShape node) {
        return check(pod, node, node.allocatable());
    }

    /** Checks everything except resources, so the result does not change if pods leave the node. */
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

    /** Whether a node selector and required node affinity allow a node. */
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

    /** Whether the pod tolerates the taint of a cordon, as DaemonSet pods do. The scheduler lets such a pod onto a cordoned node. */
    private static boolean toleratesCordon(PodShape pod) {
        return tolerate(pod.tolerations(), new Taint("node.kubernetes.io/unschedulable", null, Taint.NO_SCHEDULE));
    }
}
