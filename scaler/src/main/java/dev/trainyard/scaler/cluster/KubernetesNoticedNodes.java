package dev.trainyard.scaler.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.node.MachineNotice;
import dev.trainyard.scaler.queue.NoticedNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Optional;

/** Nodes as the scaler watches them. */
public record KubernetesNoticedNodes(KubernetesClient client, Watches watches) implements NoticedNodes {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public Optional<Node> find(MachineNotice notice) {
        return watches.nodeOf(notice.machine());
    }

    /** Does not change another node of the same name. Other changes of the node cause no conflict: only one reader writes its notices. */
    @Override
    public void write(Node node, MachineNotice notice) {
        var name = node.getMetadata().getName();
        var patch = JSON.createObjectNode();
        var metadata = patch.putObject("metadata").put("uid", node.getMetadata().getUid());
        metadata.putObject("annotations").put(notice.annotation(), notice.value());
        // Given only a name, the client would read the node before it sends the patch.
        var named =
                new NodeBuilder().withNewMetadata().withName(name).endMetadata().build();
        KubernetesCluster.unlessGone(
                () -> client.nodes().resource(named).patch(PatchContext.of(PatchType.JSON_MERGE), patch.toString()));
    }
}
