package dev.trainyard.webhook.volume;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.MutationNotes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The addition of volumes and their mounts to a pod, beside those of the pod's author.
 *
 * <p>The webhook mounts nothing over, into or around a mount of the author. If one mount is inside another, the runtime creates a directory
 * in the outer mount. If the outer mount were a volume of the author, the directory would change this volume. If the outer mount were the
 * read-only driver, the runtime would fail, and the container would not start.
 */
public final class Mounts {

    private static final JsonPointer VOLUMES = JsonPointer.compile("/spec/volumes");
    private static final List<String> CONTAINERS = List.of("containers", "initContainers");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Mounts() {}

    /**
     * Mounts {@code mount} in {@code container}, unless a mount of the pod's author overlaps with {@code mount}.
     *
     * @return whether the container now has the content of {@code mount}
     */
    public static boolean complete(Draft pod, Container container, Mount mount, MutationNotes notes) {
        var own = pod.at(container.at());
        var present = Stream.concat(
                        places(own.path("volumeMounts"), "mountPath"), places(own.path("volumeDevices"), "devicePath"))
                .filter(place -> ContainerPath.overlap(place.path(), mount.mountPath()))
                .findFirst();
        if (present.isEmpty()) {
            pod.append(
                    container.member("volumeMounts"),
                    NODES.objectNode()
                            .put("name", volume(pod, mount))
                            .put("mountPath", mount.mountPath())
                            .put("readOnly", true));
            return true;
        }
        if (shows(pod, present.get(), mount)) {
            return true;
        }
        notes.reservation("%s keeps its volume '%s' at %s, so %s is not mounted"
                .formatted(
                        container.label(),
                        UserText.shown(present.get().volume()),
                        UserText.shown(present.get().path()),
                        mount.content()));
        return false;
    }

    /**
     * A place in a container where the pod's author mounted something.
     *
     * @param path in its canonical form
     */
    private record Place(String volume, String path, JsonNode item) {}

    /** Returns the places of a list of mounts or devices. Items without a path are skipped: the API server refuses them. */
    private static Stream<Place> places(JsonNode list, String member) {
        return stream(list)
                .filter(item -> !item.path(member).asText("").isEmpty())
                .map(item -> new Place(
                        item.path("name").asText(),
                        ContainerPath.clean(item.path(member).asText()),
                        item));
    }

    /**
     * Whether the author's mount already shows the content of {@code mount}: the same content, or a directory that contains it.
     */
    private static boolean shows(Draft pod, Place place, Mount mount) {
        if (!ContainerPath.isWithin(mount.mountPath(), place.path())
                || !place.item().path("subPath").asText("").isEmpty()
                || !place.item().path("subPathExpr").asText("").isEmpty()) {
            return false;
        }
        var rest = mount.mountPath().substring(place.path().length());
        return stream(pod.at(VOLUMES))
                .filter(volume -> volume.path("name").asText().equals(place.volume()))
                .anyMatch(volume -> mount.isIn(volume, rest));
    }

    /** Returns the name of a volume with the mount's content. If the pod has no such volume, adds one under a free name. */
    private static String volume(Draft pod, Mount mount) {
        return volumesOf(pod, mount).findFirst().orElseGet(() -> add(pod, mount));
    }

    private static Stream<String> volumesOf(Draft pod, Mount mount) {
        return stream(pod.at(VOLUMES))
                .filter(volume -> mount.isIn(volume, ""))
                .map(volume -> volume.path("name").asText());
    }

    private static String add(Draft pod, Mount mount) {
        var name = freeName(pod, mount);
        ObjectNode volume = NODES.objectNode().put("name", name).setAll(mount.source());
        pod.append(VOLUMES, volume);
        return name;
    }

    private static String freeName(Draft pod, Mount mount) {
        var taken = takenNames(pod);
        return mount.volumeNames()
                .filter(name -> !taken.contains(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the volume names that the volumes and mounts of a pod use. A mount without a volume is a mistake, which a new volume of the
     * same name would hide.
     */
    private static Set<String> takenNames(Draft pod) {
        var names = new HashSet<String>();
        var spec = pod.tree().path("spec");
        spec.path("volumes").forEach(volume -> names.add(volume.path("name").asText()));
        for (var list : CONTAINERS) {
            for (var container : spec.path(list)) {
                container
                        .path("volumeMounts")
                        .forEach(mount -> names.add(mount.path("name").asText()));
            }
        }
        return names;
    }

    private static Stream<JsonNode> stream(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }
}
