package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what a round needs to know of a node. */
final class NodeReading {

    /** Marks by which an operator keeps a node: ours, Cluster Autoscaler's, Karpenter's and those of the OpenAI autoscaler. */
    private static final Set<String> EXEMPTIONS = Set.of(
            Names.DO_NOT_DISRUPT,
            "cluster-autoscaler.kubernetes.io/scale-down-disabled",
            "karpenter.sh/do-not-disrupt",
            "karpenter.sh/do-not-consolidate",
            "openai/detached");

    private NodeReading() {}

    /** Never fails: a node that is malformed offers nothing and is exempt from removal. */
    static NodeView view(Node node, Catalogue catalogue, List<PodOnNode> pods, Optional<Instant> lastTraining) {
        NodeShape shape;
        Optional<String> exempt;
        try {
            shape = NodeReader.shapeOf(node);
            exempt = exemption(shape, annotations(node));
        } catch (IllegalArgumentException e) {
            shape = new NodeShape(
                    node.getMetadata().getName(),
                    orEmpty(node.getMetadata().getLabels()),
                    List.of(),
                    false,
                    Resources.NONE);
            exempt = Optional.of("it cannot be read: " + e.getMessage());
        }
        var pool = catalogue.poolOf(shape);
        var providerId = node.getSpec() == null ? null : node.getSpec().getProviderID();
        return new NodeView(
                pool.map(Pool::gpu).map(shape::promised).orElse(shape),
                providerId == null || providerId.isEmpty() ? null : providerId,
                pool,
                NodeReader.isReady(node),
                notReadySince(node),
                Instant.parse(node.getMetadata().getCreationTimestamp()),
                Marks.of(annotations(node)),
                lastTraining,
                exempt,
                pods);
    }

    private static Optional<Instant> notReadySince(Node node) {
        return NodeReader.readyCondition(node)
                .filter(condition -> !"True".equals(condition.getStatus()))
                .flatMap(condition -> PodReading.time(condition.getLastTransitionTime()));
    }

    private static Optional<String> exemption(NodeShape shape, Map<String, String> annotations) {
        boolean controlPlane = shape.labels().containsKey("node-role.kubernetes.io/control-plane")
                || shape.labels().containsKey("node-role.kubernetes.io/master")
                || "master".equals(shape.labels().get("kubernetes.io/role"));
        if (controlPlane) {
            return Optional.of("it is a control-plane node");
        }
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
