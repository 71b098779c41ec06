package dev.trainyard.webhook.driver;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.MutationNotes;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The volumes and mounts that the webhook adds to a pod, beside those of the pod's author.
 *
 * <p>The webhook mounts nothing over, into or around a mount of the author. If one mount is inside another, the runtime creates a directory
 * in the outer mount. If the outer mount were a volume of the author, the directory would change this volume. If the outer mount were the
 * read-only driver, the runtime would fail, and the container would not start.
 */
final class HostMounts {

    private static final JsonPointer VOLUMES = JsonPointer.compile("/spec/volumes");
    private static final List<String> CONTAINERS = List.of("containers", "initContainers");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private HostMounts() {}

    /**
     * Mounts {@code mount} in {@code container}, unless a mount of the pod's author overlaps with {@code mount}.
     *
     * @return whether the container now has the content of {@code mount}
     */
    static boolean complete(Draft pod, Container container, HostMount mount, MutationNotes notes) {
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
                        mount.hostPath()));
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
     * Whether the author's mount already shows the content of {@code mount}: the same path of the node, or a directory that contains it.
     */
    private static boolean shows(Draft pod, Place place, HostMount mount) {
        if (!ContainerPath.isWithin(mount.mountPath(), place.path())
                || !place.item().path("subPath").asText("").isEmpty()
                || !place.item().path("subPathExpr").asText("").isEmpty()) {
            return false;
        }
        var rest = mount.mountPath().substring(place.path().length());
        return stream(pod.at(VOLUMES))
                .filter(volume -> volume.path("name").asText().equals(place.volume()))
                .anyMatch(volume -> hostPath(volume)
                        .filter(path -> mount.hostPath().equals(path + rest))
                        .isPresent());
    }

    /** Returns the name of a volume with the mount's content. If the pod has no such volume, adds one under a free name. */
    private static String volume(Draft pod, HostMount mount) {
        return volumesOf(pod, mount).findFirst().orElseGet(() -> add(pod, mount));
    }

    private static Stream<String> volumesOf(Draft pod, HostMount mount) {
        return stream(pod.at(VOLUMES))
                .filter(volume ->
                        hostPath(volume).filter(mount.hostPath()::equals).isPresent())
                .map(volume -> volume.path("name").asText());
    }

    private static Optional<String> hostPath(JsonNode volume) {
        var path = volume.path("hostPath").path("path").asText("");
        return path.isEmpty() ? Optional.empty() : Optional.of(ContainerPath.clean(path));
    }

    private static String add(Draft pod, HostMount mount) {
        var name = freeName(pod, mount);
        pod.append(VOLUMES, NODES.objectNode().put("name", name).set("hostPath", mount.source()));
        return name;
    }

    private static String freeName(Draft pod, HostMount mount) {
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
