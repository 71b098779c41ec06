package dev.trainyard.core.fit;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import java.util.Optional;

/**
 * Could this pod run on that node? The one answer to that question, for the extender, the scaler and simulations.
 *
 * <p>Follows kube-scheduler's filters NodeUnschedulable, NodeAffinity, TaintToleration and NodeResourcesFit
 * ({@code pkg/scheduler/framework/plugins} in kubernetes/kubernetes), and what the extender adds to them: the kind of GPU wished for. What it does not model stands in
 * {@link PodShape#unmodelled()}.
 */
public final class Fit {

    private Fit() {}

    /**
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
        if (!selects(pod, node)) {
            return Optional.of(new Misfit("node(s) didn't match Pod's node affinity/selector", false));
        }
        var mismatch = pod.wish().mismatch(node.gpu());
        if (mismatch.isPresent()) {
            return Optional.of(new Misfit(mismatch.get().reason(), false));
        }
        return node.taints().stream()
                .filter(Taint::repels)
                .filter(taint -> pod.tolerations().stream().noneMatch(toleration -> toleration.tolerates(taint)))
                .findFirst()
                .map(taint -> new Misfit(
                        "node(s) had untolerated taint {%s: %s}".formatted(taint.key(), taint.valueOrEmpty()), false));
    }

    private static boolean selects(PodShape pod, NodeShape node) {
        boolean selected = pod.nodeSelector().entrySet().stream()
                .allMatch(wanted -> wanted.getValue().equals(node.labels().get(wanted.getKey())));
        return selected
                && (pod.nodeTerms().isEmpty()
                        || pod.nodeTerms().stream().anyMatch(term -> term.matches(node.name(), node.labels())));
    }

    /** DaemonSet pods tolerate the taint that a cordon stands for, and the scheduler lets them pass. */
    private static boolean toleratesCordon(PodShape pod) {
        var cordon = new Taint("node.kubernetes.io/unschedulable", null, Taint.NO_SCHEDULE);
        return pod.tolerations().stream().anyMatch(toleration -> toleration.tolerates(cordon));
    }
}
