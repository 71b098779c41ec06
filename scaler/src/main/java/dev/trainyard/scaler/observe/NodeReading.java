package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.NoticeTable;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a node that a round (one pass of the scaler's loop) uses. They are read only from the node object.
 *
 * @param shape the node's own shape, without its pool's promises
 * @param exempt see {@link NodeView#exempt}; empty if only {@code kept} forbids the removal
 * @param kept the mark by which an operator forbids the removal of the node, as text. The mark is ignored while the cloud announces a
 *     reclaim, and until the scaler has cancelled or finished a removal for that reason
 */
record NodeReading(
        NodeShape shape,
        @Nullable String providerId,
        boolean ready,
        Optional<Instant> notReadySince,
        Instant created,
        ScalerAnnotations marks,
        Optional<String> exempt,
        Optional<String> kept) {

    /** Annotations or labels of Trainyard, Cluster Autoscaler, Karpenter and the OpenAI autoscaler that exempt a node from removal. */
    private static final Set<String> EXEMPTIONS = Set.of(
            Names.DO_NOT_DISRUPT,
            "cluster-autoscaler.kubernetes.io/scale-down-disabled",
            "karpenter.sh/do-not-disrupt",
            "karpenter.sh/do-not-consolidate",
            "openai/detached");

    /**
     * Reads a node; never fails. A malformed node counts as having no resources, and is exempt from removal. The node is not left out,
     * since its machine would then seem never to have joined.
     */
    static NodeReading of(Node node) {
        var providerId = node.getSpec() == null ? null : node.getSpec().getProviderID();
        try {
            NodeShape shape;
            Optional<String> exempt;
            Optional<String> kept = Optional.empty();
            try {
                shape = NodeReader.shapeOf(node);
                exempt = exemption(shape);
                kept = mark(shape, annotations(node));
            } catch (IllegalArgumentException e) {
                shape = nothing(node);
                exempt = unreadable(e);
            }
            return new NodeReading(
                    shape,
                    providerId == null || providerId.isEmpty() ? null : providerId,
                    NodeReader.isReady(node),
                    notReadySince(node),
                    Instant.parse(node.getMetadata().getCreationTimestamp()),
                    ScalerAnnotations.of(annotations(node)),
                    exempt,
                    kept);
        } catch (RuntimeException e) {
            return new NodeReading(
                    nothing(node),
                    providerId,
                    false,
                    Optional.empty(),
                    Instant.EPOCH,
                    ScalerAnnotations.usable(Instant.EPOCH),
                    unreadable(e),
                    Optional.empty());
        }
    }

    private static NodeShape nothing(Node node) {
        return new NodeShape(
                node.getMetadata().getName(),
                orEmpty(node.getMetadata().getLabels()),
                List.of(),
                false,
                Resources.NONE);
    }

    private static Optional<String> unreadable(RuntimeException problem) {
        return Optional.of("it cannot be read: " + problem.getMessage());
    }

    /**
     * Returns the node's pool. The pool label of the node decides. If there is no such label, the pool whose cloud lists the machine is
     * taken. If no cloud lists the machine, the labels that pools promise decide.
     */
    Optional<Pool> pool(Catalogue catalogue, MachineOwners owners) {
        boolean labelled = shape.labels().containsKey(Names.POOL);
        return labelled
                ? catalogue.poolOf(shape)
                : owners.ofNode(providerId, shape.name()).or(() -> catalogue.poolOf(shape));
    }

    /** Returns how many GPUs the node shows as a node of the pool. */
    long gpus(Pool pool) {
        return shape.allocatable().max(pool.unreported()).gpus();
    }

    /**
     * Returns the view of the node with its pods. If a cloud lists the machine, the view already includes the labels that the scaler sets
     * later in the same round.
     *
     * @param notice see {@link NodeView#notice}
     */
    NodeView view(
            Catalogue catalogue,
            MachineOwners owners,
            List<PodOnNode> pods,
            Optional<Instant> lastTraining,
            Optional<NodeNotice> notice) {
        var owner = owners.ofNode(providerId, shape.name());
        var pool = pool(catalogue, owners);
        boolean foreign = providerId != null
                && pool.filter(p -> owners.isRead(p) && !owner.equals(Optional.of(p)))
                        .isPresent();
        var labels = owner.map(p -> NodeLabels.of(shape.labels(), p)).orElse(NodeLabels.COMPLETE);
        var known = labels.missing().isEmpty() ? shape : with(labels.missing());
        return new NodeView(
                pool.map(of -> known.promised(of.gpu(), of.unreported())).orElse(known),
                providerId,
                pool,
                foreign,
                labels,
                ready,
                notReadySince,
                created,
                marks,
                lastTraining,
                notice,
                exempt.or(() -> notice.filter(NodeNotice::isReclaim).isPresent() || isRemovedForReclaim()
                        ? Optional.empty()
                        : kept),
                pods);
    }

    /**
     * Whether the cloud waits for the release of the node's machine, and the scaler has not begun to release it. The machine stays held while
     * its pool cannot be read.
     */
    boolean isHeld(Catalogue catalogue, MachineOwners owners) {
        if (marks.terminatingSince().isPresent()) {
            return false;
        }
        return owners.isHeld(providerId, shape.name())
                || (marks.noticedSince().filter(NoticeTable::notesHeld).isPresent()
                        && pool(catalogue, owners)
                                .filter(pool -> !owners.isRead(pool))
                                .isPresent());
    }

    private boolean isRemovedForReclaim() {
        return marks.removal()
                .filter(removal -> removal.reason() == Removal.Reason.RECLAIM_ANNOUNCED)
                .isPresent();
    }

    private NodeShape with(Map<String, String> more) {
        var labels = new HashMap<>(shape.labels());
        labels.putAll(more);
        return new NodeShape(
                shape.name(), labels, shape.taints(), shape.schedulable(), shape.allocatable(), shape.gpu());
    }

    private static Optional<Instant> notReadySince(Node node) {
        return NodeReader.readyCondition(node)
                .filter(condition -> !"True".equals(condition.getStatus()))
                .flatMap(condition -> PodReading.time(condition.getLastTransitionTime()));
    }

    private static Optional<String> exemption(NodeShape shape) {
        boolean controlPlane = shape.labels().containsKey("node-role.kubernetes.io/control-plane")
                || shape.labels().containsKey("node-role.kubernetes.io/master")
                || "master".equals(shape.labels().get("kubernetes.io/role"));
        return controlPlane ? Optional.of("it is a control-plane node") : Optional.empty();
    }

    private static Optional<String> mark(NodeShape shape, Map<String, String> annotations) {
        return Stream.concat(annotations.entrySet().stream(), shape.labels().entrySet().stream())
                .filter(mark -> EXEMPTIONS.contains(mark.getKey()) && PodReading.affirms(mark.getValue()))
                .map(mark -> "it is marked %s: \"%s\"".formatted(mark.getKey(), mark.getValue()))
                .sorted()
                .findFirst();
    }

    private static Map<String, String> annotations(Node node) {
        return orEmpty(node.getMetadata().getAnnotations());
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
