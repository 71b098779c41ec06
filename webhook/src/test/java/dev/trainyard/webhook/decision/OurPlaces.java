package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The places of a pod that the webhook may change. It must not change any other place. */
public final class OurPlaces {

    private OurPlaces() {}

    /** Returns the pod without these places. */
    public static ObjectNode cutFrom(ObjectNode pod) {
        var rest = pod.deepCopy();
        ((ObjectNode) rest.path("metadata")).remove("annotations");
        var spec = (ObjectNode) rest.path("spec");
        spec.remove(
                List.of("volumes", "tolerations", "schedulerName", "schedulingGates", "terminationGracePeriodSeconds"));
        if (spec.path("affinity") instanceof ObjectNode affinity) {
            affinity.remove("nodeAffinity");
            if (affinity.isEmpty()) {
                spec.remove("affinity");
            }
        }
        for (var containers : List.of("containers", "initContainers")) {
            if (spec.path(containers) instanceof ArrayNode list) {
                for (var container : list) {
                    var object = (ObjectNode) container;
                    object.remove(List.of("env", "volumeMounts"));
                    if (object.path("resources") instanceof ObjectNode resources) {
                        for (var kind : List.of("limits", "requests")) {
                            if (resources.path(kind) instanceof ObjectNode amounts) {
                                amounts.remove(List.of("nvidia.com/gpu", "alpha.kubernetes.io/nvidia-gpu"));
                                if (amounts.isEmpty()) {
                                    resources.remove(kind);
                                }
                            }
                        }
                    }
                }
            }
        }
        return rest;
    }

    /**
     * Checks that all list items of the pod's author and of the API server are kept in their order, before ours. Other annotations and the
     * number of variables must be kept too.
     */
    public static void assertKept(ObjectNode before, ObjectNode after) {
        for (var list : List.of(
                "/spec/volumes",
                "/spec/tolerations",
                "/spec/schedulingGates",
                "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution")) {
            assertStartsWith(after.at(list), before.at(list));
        }
        for (var containers : List.of("/spec/containers", "/spec/initContainers")) {
            for (int index = 0; index < before.at(containers).size(); index++) {
                var container = before.at(containers).path(index);
                var now = after.at(containers).path(index);
                assertStartsWith(now.path("volumeMounts"), container.path("volumeMounts"));
                assertThat(now.path("env").size())
                        .isGreaterThanOrEqualTo(container.path("env").size());
            }
        }
        assertThat(after.at("/metadata/annotations/other")).isEqualTo(before.at("/metadata/annotations/other"));
    }

    private static void assertStartsWith(JsonNode list, JsonNode start) {
        for (int index = 0; index < start.size(); index++) {
            assertThat(list.path(index)).isEqualTo(start.path(index));
        }
    }
}
