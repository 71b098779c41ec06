package dev.trainyard.core.node;

import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A reader of the parts of a Kubernetes node that Trainyard uses. Absent parts are read as empty. */
public final class NodeReader {

    private NodeReader() {}

    /**
     * Reads the shape of a node.
     *
     * @throws IllegalArgumentException if an allocatable quantity is invalid; the message names the resource
     */
    public static NodeShape shapeOf(Node node) {
        var spec = Optional.ofNullable(node.getSpec());
        return new NodeShape(
                node.getMetadata().getName(),
                Optional.ofNullable(node.getMetadata().getLabels()).orElse(Map.of()),
                spec.map(s -> s.getTaints()).orElse(List.of()).stream()
                        .map(taint -> new Taint(taint.getKey(), taint.getValue(), taint.getEffect()))
                        .toList(),
                !spec.map(s -> Boolean.TRUE.equals(s.getUnschedulable())).orElse(false),
                Resources.parse(
                        "status.allocatable",
                        node.getStatus() == null ? null : node.getStatus().getAllocatable()));
    }

    /** Whether the node's {@code Ready} condition is {@code True}. */
    public static boolean isReady(Node node) {
        return readyCondition(node)
                .map(condition -> "True".equals(condition.getStatus()))
                .orElse(false);
    }

    public static Optional<NodeCondition> readyCondition(Node node) {
        return Optional.ofNullable(node.getStatus()).map(status -> status.getConditions()).orElse(List.of()).stream()
                .filter(condition -> "Ready".equals(condition.getType()))
                .findFirst();
    }
}
