package dev.trainyard.extender.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer to {@code filter}: {@code ExtenderFilterResult} of {@code k8s.io/kube-scheduler/extender/v1}, which has Go's
 * capitals because its Go type has no JSON names.
 *
 * @param nodes only when the question had full nodes
 * @param nodeNames nodes that pass; never null, which the scheduler would read as "none, and no reason"
 * @param failedNodes refused nodes that could be had by evicting other pods
 * @param failedAndUnresolvableNodes refused nodes that no eviction helps; a node stands in one map only
 * @param error empty; anything else makes the whole scheduling attempt fail
 */
public record FilterAnswer(
        @JsonProperty("Nodes") @Nullable JsonNode nodes,
        @JsonProperty("NodeNames") List<String> nodeNames,
        @JsonProperty("FailedNodes") Map<String, String> failedNodes,
        @JsonProperty("FailedAndUnresolvableNodes") Map<String, String> failedAndUnresolvableNodes,
        @JsonProperty("Error") String error) {

    /**
     * @param passed nodes that the pod may have
     * @param refused reasons by node; none of them is one that an eviction cures
     */
    public static FilterAnswer of(ExtenderRequest question, List<String> passed, Map<String, String> refused) {
        return new FilterAnswer(question.nodeListOf(passed), passed, Map.of(), refused, "");
    }
}
