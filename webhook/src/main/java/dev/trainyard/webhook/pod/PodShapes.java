package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.webhook.patch.Draft;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the fields that decide a pod's placement.
 */
public final class PodShapes {

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
        refuseNullItems(pod.tree().path("spec"));
        refuseNullLabels(pod.tree().path("spec").path("nodeSelector"));
        CONTAINERS.forEach(containers -> refuseOddMounts(pod.tree().path("spec"), containers));
        return PodReader.shapeOf(TypedPods.read(outline(pod.tree())));
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
}
