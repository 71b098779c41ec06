package dev.trainyard.core.node;

import dev.trainyard.core.resource.Resources;
import java.util.List;
import java.util.Map;

/**
 * What a node offers to pods, whether it exists or is promised by its pool.
 *
 * @param name the node's name, or a made-up one for a promised node
 * @param schedulable false when it is cordoned
 * @param allocatable all that pods may take, before any is there
 */
public record NodeShape(
        String name, Map<String, String> labels, List<Taint> taints, boolean schedulable, Resources allocatable) {

    public NodeShape {
        labels = Map.copyOf(labels);
        taints = List.copyOf(taints);
    }
}
