package dev.trainyard.core.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.resource.Resources;
import java.util.List;
import java.util.Map;

/**
 * The properties of a node that decide which pods can run there. The node either exists, or is the node that a new machine of a pool would
 * have (the pool's promise).
 *
 * @param name the node's name, or a made-up name for a node that does not exist yet
 * @param schedulable false if the node is cordoned
 * @param allocatable all resources that pods may take on the empty node
 * @param gpu the known facts about the kind of the node's GPUs
 */
public record NodeShape(
        String name,
        Map<String, String> labels,
        List<Taint> taints,
        boolean schedulable,
        Resources allocatable,
        GpuKind gpu) {

    public NodeShape {
        labels = Map.copyOf(labels);
        taints = List.copyOf(taints);
    }

    /** Creates a shape with the kind of GPU that the labels state. */
    public NodeShape(
            String name, Map<String, String> labels, List<Taint> taints, boolean schedulable, Resources allocatable) {
        this(name, labels, taints, schedulable, allocatable, GpuKind.of(labels));
    }

    /**
     * Returns this shape, completed with the facts that only the pool states.
     *
     * @param kind kind of GPU of the pool; supplies the facts that the node's labels lack
     * @param unreported amounts of the pool's resources that nodes never report
     */
    public NodeShape promised(GpuKind kind, Resources unreported) {
        return new NodeShape(name, labels, taints, schedulable, allocatable.max(unreported), gpu.orElse(kind));
    }
}
