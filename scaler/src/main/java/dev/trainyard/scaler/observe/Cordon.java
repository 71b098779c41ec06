package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What keeps new pods off a node. The scaler uses a taint of its own and leaves {@code spec.unschedulable} to others: a second cordon would
 * change nothing that could be seen, so that the scaler could not tell whether it may take its own back.
 *
 * @param own whether the scaler keeps pods off
 * @param others the cordon or taint by which somebody else takes the node out of service, in words; empty without one
 */
public record Cordon(boolean own, Optional<String> others) {

    /** The taint that Kubernetes gives a node that has {@code spec.unschedulable}. */
    static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

    /**
     * Taints by which others announce that they remove a node, and who they are. One that ends with a slash stands for all that begin with
     * it. From the documentation of each.
     */
    private static final Map<String, String> CLAIMS = Map.of(
            "ToBeDeletedByClusterAutoscaler", "Cluster Autoscaler",
            "karpenter.sh/disrupted", "Karpenter",
            "karpenter.sh/disruption", "Karpenter",
            "aws-node-termination-handler/", "AWS Node Termination Handler",
            "remediator.kubernetes.azure.com/", "AKS",
            "remediator.aks.microsoft.com/", "AKS");

    /** Reads what keeps pods off the node with this shape and these marks. */
    static Cordon of(NodeShape shape, Marks marks) {
        boolean tainted = shape.taints().stream().anyMatch(Cordon::isOwn);
        boolean formerWay =
                marks.removal().filter(removal -> !removal.byTaint()).isPresent();
        var cordoned = shape.schedulable() || formerWay ? Optional.<String>empty() : Optional.of("it is cordoned");
        return new Cordon(
                tainted || (formerWay && !shape.schedulable()),
                cordoned.or(() -> shape.taints().stream()
                        .filter(Taint::repels)
                        .flatMap(taint ->
                                claimant(taint)
                                        .map(who -> "it has taint %s, set by %s".formatted(taint.key(), who))
                                        .stream())
                        .findFirst()));
    }

    /** Whether nobody keeps pods off. */
    public boolean isOpen() {
        return !own && others.isEmpty();
    }

    /** The taints that are left when neither the scaler nor a cordon keeps pods off. */
    static List<Taint> withoutCordons(List<Taint> taints) {
        return taints.stream()
                .filter(taint -> !isOwn(taint) && !taint.key().equals(UNSCHEDULABLE))
                .toList();
    }

    /** The node with the scaler's taint, and its mark that says why. A cordon of the scaler's former way becomes that taint. */
    public static Node set(Node node, Removal removal) {
        var taints = othersTaints(node);
        taints.add(new TaintBuilder()
                .withKey(Names.REMOVING)
                .withValue(removal.reason().toString())
                .withEffect(Taint.NO_SCHEDULE)
                .build());
        var set = new NodeBuilder(node)
                .editMetadata()
                .addToAnnotations(Names.REMOVING, removal.toString())
                .endMetadata()
                .editOrNewSpec()
                .withTaints(taints)
                .endSpec();
        if (isFormerWay(node)) {
            set.editSpec().withUnschedulable(null).endSpec();
        }
        return set.build();
    }

    /** The node without the scaler's taint and the marks of its removal. What others set stays. */
    public static Node lift(Node node) {
        var lifted = new NodeBuilder(node)
                .editOrNewSpec()
                .withTaints(othersTaints(node))
                .endSpec();
        Marks.OF_REMOVAL.forEach(
                mark -> lifted.editMetadata().removeFromAnnotations(mark).endMetadata());
        if (isFormerWay(node)) {
            lifted.editSpec().withUnschedulable(null).endSpec();
        }
        return lifted.build();
    }

    /** Whether an early build of 0.1.0 began to remove it, by {@code spec.unschedulable}, which is the scaler's to take back then. */
    public static boolean isFormerWay(Node node) {
        return isFormerWay(Marks.of(
                Optional.ofNullable(node.getMetadata().getAnnotations()).orElse(Map.of())));
    }

    private static boolean isFormerWay(Marks marks) {
        return marks.removal().filter(removal -> !removal.byTaint()).isPresent();
    }

    private static List<io.fabric8.kubernetes.api.model.Taint> othersTaints(Node node) {
        var taints = new ArrayList<io.fabric8.kubernetes.api.model.Taint>();
        if (node.getSpec() != null && node.getSpec().getTaints() != null) {
            node.getSpec().getTaints().stream()
                    .filter(taint -> !Names.REMOVING.equals(taint.getKey()))
                    .forEach(taints::add);
        }
        return taints;
    }

    private static boolean isOwn(Taint taint) {
        return taint.key().equals(Names.REMOVING);
    }

    private static Optional<String> claimant(Taint taint) {
        return CLAIMS.entrySet().stream()
                .filter(claim -> claim.getKey().endsWith("/")
                        ? taint.key().startsWith(claim.getKey())
                        : taint.key().equals(claim.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
