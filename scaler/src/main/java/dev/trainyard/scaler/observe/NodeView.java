package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.provider.Machine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node and what runs on it.
 *
 * @param providerId the cloud's name of its machine; null when it does not say
 * @param pool the pool it belongs to; empty: none of ours
 * @param exempt why it is never to be removed (a control-plane node, an operator's wish, malformed); empty when it may be
 */
public record NodeView(
        NodeShape shape,
        @Nullable String providerId,
        Optional<Pool> pool,
        boolean ready,
        Instant created,
        Marks marks,
        Optional<String> exempt,
        List<PodOnNode> pods) {

    public NodeView {
        pods = List.copyOf(pods);
    }

    public String name() {
        return shape.name();
    }

    /** Whether this is the node of {@code machine}. */
    public boolean isOn(Machine machine) {
        // Azure writes the same resource id in different cases in different places.
        return machine.providerId().equalsIgnoreCase(providerId)
                || (machine.nodeName() != null && machine.nodeName().equals(name()));
    }

    /** Ready, with the GPUs that its pool promised. */
    public boolean usable() {
        return ready
                && pool.map(p -> shape.allocatable().gpus() >= p.promisedGpus()).orElse(true);
    }

    /** Never was usable, and may still become so. */
    public boolean registering() {
        return !usable() && pool.isPresent() && marks.usableSince().isEmpty();
    }

    public List<PodOnNode> trainingPods() {
        return pods.stream().filter(PodOnNode::keepsNodeBusy).toList();
    }

    public Resources used() {
        return pods.stream().map(PodOnNode::requests).reduce(Resources.NONE, Resources::plus);
    }

    /** Cordoned by the scaler, and still to be had back. */
    public boolean revocable() {
        return marks.removal().isPresent() && marks.terminatingSince().isEmpty();
    }

    public boolean terminating() {
        return marks.terminatingSince().isPresent();
    }

    /** The same node as it would be if the scaler took back its cordon. */
    public NodeShape uncordoned() {
        return new NodeShape(
                shape.name(),
                shape.labels(),
                shape.taints().stream()
                        .filter(taint -> !taint.key().equals("node.kubernetes.io/unschedulable"))
                        .toList(),
                true,
                shape.allocatable());
    }
}
