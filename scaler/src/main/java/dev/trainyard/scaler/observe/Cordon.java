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
 * The cordons and taints that keep new pods off a node. The scaler uses its own taint and leaves {@code spec.unschedulable} to others. If
 * the scaler set this field on a node that another tool has cordoned already, the node would not change. The scaler could then not tell
 * later which of the two set the field.
 *
 * @param own whether the scaler keeps new pods off the node
 * @param others the cordon or taint by which another tool or person takes the node out of service, as text; empty if there is none
 */
public record Cordon(boolean own, Optional<String> others) {

    /** The taint that Kubernetes adds to a node with {@code spec.unschedulable}. */
    static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

    /**
     * Taints by which other tools announce the removal of a node, and the tools' names, from their documentation. A key that ends with a
     * slash is a prefix.
     */
    private static final Map<String, String> CLAIMS = Map.of(
            "ToBeDeletedByClusterAutoscaler", "Cluster Autoscaler",
            "karpenter.sh/disrupted", "Karpenter",
            "karpenter.sh/disruption", "Karpenter",
            "aws-node-termination-handler/", "AWS Node Termination Handler",
            "aks-node-termination-handler/", "aks-node-termination-handler",
            "cloud.google.com/impending-node-termination", "GKE",
            "remediator.kubernetes.azure.com/", "AKS",
            "remediator.aks.microsoft.com/", "AKS");

    /** Returns the cordon of a node with this shape. */
    public static Cordon of(NodeShape shape) {
        var cordoned = shape.schedulable() ? Optional.<String>empty() : Optional.of("the node is cordoned");
        return new Cordon(
                shape.taints().stream().anyMatch(Cordon::isOwn),
                cordoned.or(() -> shape.taints().stream()
                        .filter(Taint::repels)
                        .flatMap(taint ->
                                claimant(taint)
                                        .map(who -> "the node has taint %s, set by %s".formatted(taint.key(), who))
                                        .stream())
                        .findFirst()));
    }

    /** Whether no cordon or taint, by the scaler or by others, takes the node out of service. */
    public boolean isOpen() {
        return !own && others.isEmpty();
    }

    /** Returns the taints without the scaler's own taint and the taint of {@code spec.unschedulable}. */
    static List<Taint> withoutCordons(List<Taint> taints) {
        return taints.stream()
                .filter(taint -> !isOwn(taint) && !taint.key().equals(UNSCHEDULABLE))
                .toList();
    }

    /** Returns the node with the scaler's taint, and an annotation with the reason of the removal. */
    public static Node set(Node node, Removal removal) {
        var taints = othersTaints(node);
        taints.add(new TaintBuilder()
                .withKey(Names.REMOVING)
                .withValue(removal.reason().toString())
                .withEffect(Taint.NO_SCHEDULE)
                .build());
        return new NodeBuilder(node)
                .editMetadata()
                .addToAnnotations(Names.REMOVING, removal.toString())
                .endMetadata()
                .editOrNewSpec()
                .withTaints(taints)
                .endSpec()
                .build();
    }

    /** Returns the node without the scaler's taint and without {@link ScalerAnnotations#OF_REMOVAL}. Keeps everything that others set. */
    public static Node lift(Node node) {
        var lifted = new NodeBuilder(node)
                .editOrNewSpec()
                .withTaints(othersTaints(node))
                .endSpec();
        ScalerAnnotations.OF_REMOVAL.forEach(
                mark -> lifted.editMetadata().removeFromAnnotations(mark).endMetadata());
        return lifted.build();
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
