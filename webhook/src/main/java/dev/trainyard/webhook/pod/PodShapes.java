package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.webhook.patch.Draft;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the fields that decide a pod's placement. The reader converts the JSON to a typed pod, which is never written back, because
 * the types do not know all fields.
 */
public final class PodShapes {

    private static final ObjectReader PODS = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build()
            .readerFor(Pod.class);

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    // All lists and objects that PodReader.shapeOf reads.
    private static final Set<String> OF_METADATA = Set.of("annotations");
    private static final Set<String> OF_SPEC =
            Set.of("nodeSelector", "affinity", "tolerations", "overhead", "resources");
    private static final Set<String> OF_CONTAINER = Set.of("resources", "ports");
    private static final Map<String, Set<String>> OF_ITEMS = Map.of(
            "containers", OF_CONTAINER,
            "initContainers", OF_CONTAINER,
            "volumes", Set.of(),
            "topologySpreadConstraints", Set.of(),
            "resourceClaims", Set.of());

    /** The lists of a container that are read as plain JSON. The value is the member that holds an item's path in the container. */
    private static final Map<String, String> MOUNTS =
            Map.of("volumeMounts", "mountPath", "volumeDevices", "devicePath");

    private static final List<String> CONTAINERS = List.of("containers", "initContainers");

    // The outline is only read, so its empty lists and objects are shared.
    private static final JsonNode EMPTY_LIST = NODES.arrayNode();
    private static final JsonNode EMPTY_OBJECT = NODES.objectNode();

    private PodShapes() {}

    /**
     * Reads the shape of a pod.
     *
     * @throws IllegalArgumentException if a field of the pod is invalid; the message names the field
     */
    public static PodShape of(Draft pod) {
        try {
            refuseNullItems(pod.tree().path("spec"));
            refuseNullLabels(pod.tree().path("spec").path("nodeSelector"));
            CONTAINERS.forEach(containers -> refuseOddMounts(pod.tree().path("spec"), containers));
            Pod typed = PODS.readValue(outline(pod.tree()));
            if (typed.getMetadata() == null) {
                typed.setMetadata(new ObjectMeta()); // pod templates may lack metadata
            }
            return PodReader.shapeOf(typed);
        } catch (JsonMappingException e) {
            throw new IllegalArgumentException("%s has an invalid value%s".formatted(place(e), expected(e)), e);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * Returns a copy of the pod. Lists and objects that {@link PodReader} does not read are empty in the copy, above all environments and
     * volumes. Converting them to types would take longer than all other work on a pod. They stay lists and objects, so that a value of the
     * wrong kind is still reported.
     */
    private static ObjectNode outline(ObjectNode pod) {
        var outline = (ObjectNode) emptied(pod, Set.of());
        replace(outline, "metadata", pod, metadata -> emptied(metadata, OF_METADATA));
        replace(outline, "spec", pod, PodShapes::specOutline);
        return outline;
    }

    private static JsonNode specOutline(JsonNode spec) {
        var outline = emptied(spec, OF_SPEC);
        if (outline instanceof ObjectNode object) {
            OF_ITEMS.forEach((list, whole) -> replace(object, list, spec, items -> emptiedItems(items, whole)));
        }
        return outline;
    }

    private static void replace(ObjectNode outline, String name, JsonNode original, UnaryOperator<JsonNode> change) {
        if (original.has(name)) {
            outline.set(name, change.apply(original.get(name)));
        }
    }

    private static JsonNode emptiedItems(JsonNode list, Set<String> whole) {
        if (!list.isArray()) {
            return list;
        }
        var items = NODES.arrayNode(list.size());
        list.forEach(item -> items.add(emptied(item, whole)));
        return items;
    }

    /** @param whole names of the members that are not emptied */
    private static JsonNode emptied(JsonNode object, Set<String> whole) {
        if (!object.isObject()) {
            return object;
        }
        var outline = NODES.objectNode();
        for (var member : object.properties()) {
            var value = member.getValue();
            boolean isKept = value.isValueNode() || whole.contains(member.getKey());
            outline.set(member.getKey(), isKept ? value : value.isArray() ? EMPTY_LIST : EMPTY_OBJECT);
        }
        return outline;
    }

    /** Rejects null items. No list of a pod may have them, and code that reads the typed pod would fail on them. */
    private static void refuseNullItems(JsonNode spec) {
        var place = nullItem(spec);
        if (place != null) {
            throw new IllegalArgumentException("spec" + place + " is null: expected a value");
        }
    }

    /** Returns the path below {@code node} of a null item in a list; null if there is none. */
    private static @Nullable String nullItem(JsonNode node) {
        if (node.isArray()) {
            for (int index = 0; index < node.size(); index++) {
                var item = node.get(index);
                var below = item.isNull() ? "" : nullItem(item);
                if (below != null) {
                    return "[" + index + "]" + below;
                }
            }
        } else if (node.isObject()) {
            for (var member : node.properties()) {
                var below = nullItem(member.getValue());
                if (below != null) {
                    return "." + UserText.shown(member.getKey()) + below;
                }
            }
        }
        return null;
    }

    private static void refuseNullLabels(JsonNode nodeSelector) {
        nodeSelector.properties().forEach(label -> {
            if (label.getValue().isNull()) {
                throw new IllegalArgumentException(
                        "spec.nodeSelector.%s is null: expected text".formatted(UserText.shown(label.getKey())));
            }
        });
    }

    private static void refuseOddMounts(JsonNode spec, String containers) {
        for (int index = 0; index < spec.path(containers).size(); index++) {
            var container = spec.path(containers).path(index);
            var place = containers + "[" + index + "]";
            MOUNTS.forEach((list, path) -> refuseOddMounts(container.path(list), place, list, path));
        }
    }

    /** @param place the container in messages */
    private static void refuseOddMounts(JsonNode mounts, String place, String list, String path) {
        for (int index = 0; index < mounts.size(); index++) {
            var mount = mounts.path(index);
            if (!mount.isObject()) {
                throw new IllegalArgumentException(
                        "spec.%s.%s[%d] has an invalid value: expected an object".formatted(place, list, index));
            }
            for (var member : List.of("name", path)) {
                var value = mount.path(member);
                if (!value.isTextual() && !value.isMissingNode() && !value.isNull()) {
                    throw new IllegalArgumentException("spec.%s.%s[%d].%s has an invalid value: expected text"
                            .formatted(place, list, index, member));
                }
            }
        }
    }

    private static String place(JsonMappingException problem) {
        var place = new StringBuilder();
        for (var step : problem.getPath()) {
            if (step.getFieldName() == null) {
                place.append('[').append(step.getIndex()).append(']');
            } else {
                place.append(place.isEmpty() ? "" : ".").append(UserText.shown(step.getFieldName()));
            }
        }
        return place.isEmpty() ? "the pod" : place.toString();
    }

    /** Returns the expected type for a message; empty if there is no short word for it. */
    private static String expected(JsonMappingException problem) {
        var type = problem instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
        if (type == null) {
            return "";
        }
        if (Collection.class.isAssignableFrom(type)) {
            return ": expected a list";
        }
        if (type == String.class) {
            return ": expected text";
        }
        if (type == Boolean.class || type == boolean.class) {
            return ": expected true or false";
        }
        if (Number.class.isAssignableFrom(type) || type.isPrimitive()) {
            return ": expected a number";
        }
        return Map.class.isAssignableFrom(type) || KubernetesResource.class.isAssignableFrom(type)
                ? ": expected an object"
                : "";
    }
}
