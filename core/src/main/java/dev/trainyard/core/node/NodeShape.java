package dev.trainyard.core.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.resource.Resources;
import java.util.List;
import java.util.Map;

/**
 * What a node offers to pods, whether it exists or is promised by its pool.
 *
 * @param name the node's name, or a made-up one for a promised node
 * @param schedulable false when it is cordoned
 * @param allocatable all that pods may take, before any is there
 * @param gpu what kind of GPUs it has, as far as that is known
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

    /** With the kind of GPU that its labels tell. */
    public NodeShape(
            String name, Map<String, String> labels, List<Taint> taints, boolean schedulable, Resources allocatable) {
        this(name, labels, taints, schedulable, allocatable, GpuKind.of(labels));
    }

    /**
     * Returns the same with what a node does not show and its pool knows.
     *
     * @param kind what kind of GPUs it has, as far as the node does not tell
     * @param unreported resources that nodes never show
     */
    public NodeShape promised(GpuKind kind, Resources unreported) {
        return new NodeShape(name, labels, taints, schedulable, allocatable.max(unreported), gpu.orElse(kind));
    }
}
