package dev.trainyard.extender.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.extender.node.IndexedNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A request of the scheduler, for {@code filter} or {@code prioritize}: {@code ExtenderArgs} of {@code k8s.io/kube-scheduler/extender/v1}.
 *
 * @param nodes the nodes that passed the scheduler's own filters, in the order of the request
 * @param nodeList the same nodes as whole objects if the scheduler sent them ({@code nodeCacheCapable: false}); otherwise null
 */
public record ExtenderRequest(
        SentPod pod, List<IndexedNode> nodes, @Nullable ObjectNode nodeList) {

    /**
     * Returns the scheduler's node list, reduced to {@code kept}, for an answer in the form of the request; null if the scheduler sent only
     * names.
     */
    @Nullable
    ObjectNode nodeListOf(List<IndexedNode> kept) {
        if (nodeList == null) {
            return null;
        }
        var names = kept.stream().map(IndexedNode::name).collect(Collectors.toSet());
        var items = nodeList.arrayNode();
        nodeList.path("items").forEach(node -> addIfKept(node, names, items));
        var answer = nodeList.objectNode().setAll(nodeList);
        return ((ObjectNode) answer).set("items", items);
    }

    private static void addIfKept(JsonNode node, Set<String> kept, ArrayNode items) {
        if (kept.contains(nameOf(node))) {
            items.add(node);
        }
    }

    static String nameOf(JsonNode node) {
        return node.path("metadata").path("name").asText();
    }
}
