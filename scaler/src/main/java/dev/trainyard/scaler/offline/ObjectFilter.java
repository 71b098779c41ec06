package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A filter that reduces each object to the parts that a round needs. A dump of a cluster can be larger than the memory, and consists mostly
 * of parts that a round does not need. Equal parts of pods are kept in memory only once. Used by one thread.
 */
final class ObjectFilter implements UnaryOperator<JsonNode> {

    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    /**
     * Fields that are dropped from the containers of an admitted pod. Only the webhook reads these fields, and it has read them already.
     */
    private static final List<String> OF_CONTAINERS = List.of(
            "args",
            "command",
            "env",
            "envFrom",
            "lifecycle",
            "livenessProbe",
            "readinessProbe",
            "securityContext",
            "startupProbe");

    private static final List<String> OF_CONTAINER_STATUSES = List.of("containerID", "image", "imageID");

    private static final List<String> OF_NODES = List.of("images", "volumesAttached", "volumesInUse");

    private final Map<JsonNode, JsonNode> shared = new HashMap<>();

    /**
     * Returns the object without the parts that no round reads. If no round reads the kind of the object, only the kind and the name
     * remain.
     */
    @Override
    public JsonNode apply(JsonNode object) {
        if (!(object instanceof ObjectNode whole)) {
            return object;
        }
        var kind = object.path("kind").isTextual() ? object.path("kind").asText() : "";
        if (!kind.isEmpty() && !Defaults.isRead(kind)) {
            return passedOver(kind, object.path("metadata").path("name"));
        }
        if (whole.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
            if (metadata.path("annotations") instanceof ObjectNode annotations) {
                annotations.remove(LAST_APPLIED);
            }
        }
        if (OfflineGangObjects.KINDS.contains(kind)) {
            whole.remove("status");
        }
        if (kind.equals("Node")) {
            without(whole.path("status"), OF_NODES);
        }
        if (kind.equals("Pod") && !OfflinePods.isUnseen(whole)) {
            whole.path("spec").path("containers").forEach(container -> without(container, OF_CONTAINERS));
            whole.path("spec").path("initContainers").forEach(container -> without(container, OF_CONTAINERS));
            whole.path("status").path("containerStatuses").forEach(status -> without(status, OF_CONTAINER_STATUSES));
            whole.path("spec")
                    .properties()
                    .forEach(field -> field.setValue(shared.computeIfAbsent(field.getValue(), value -> value)));
        }
        return whole;
    }

    private static void without(JsonNode object, List<String> fields) {
        if (object instanceof ObjectNode fieldsOf) {
            fieldsOf.remove(fields);
        }
    }

    private static JsonNode passedOver(String kind, JsonNode name) {
        var stub = JsonNodeFactory.instance.objectNode().put("kind", kind);
        if (name.isTextual()) {
            stub.putObject("metadata").set("name", name);
        }
        return stub;
    }
}
