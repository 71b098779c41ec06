package dev.trainyard.scaler.queue;

import dev.trainyard.core.node.MachineNotice;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Optional;

/** The nodes on which notices are written. Thread-safe. */
public interface NoticedNodes {

    /** Returns the node of the notice's machine; empty if the cluster has none. */
    Optional<Node> find(MachineNotice notice);

    /**
     * Writes the notice's annotation, unless the node is gone.
     *
     * @throws RuntimeException if the API server does not accept the change
     */
    void write(Node node, MachineNotice notice);
}
