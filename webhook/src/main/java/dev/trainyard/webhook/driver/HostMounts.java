package dev.trainyard.webhook.driver;

import static dev.trainyard.webhook.driver.HostMount.withoutTrailingSlash;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.Notes;
import dev.trainyard.webhook.pod.UserText;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Adds volumes and their mounts to a pod, beside those that its author wrote. */
final class HostMounts {

    private static final JsonPointer VOLUMES = JsonPointer.compile("/spec/volumes");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private HostMounts() {}

    /** Makes {@code container} see {@code mount}, unless the pod's author mounted something else there. */
    static void complete(Draft pod, Container container, HostMount mount, Notes notes) {
        var mounts = container.member("volumeMounts");
        var present = stream(pod.at(mounts))
                .filter(candidate -> withoutTrailingSlash(
                                candidate.path("mountPath").asText())
                        .equals(mount.mountPath()))
                .findFirst();
        if (present.isEmpty()) {
            pod.append(
                    mounts,
                    NODES.objectNode()
                            .put("name", volume(pod, mount))
                            .put("mountPath", mount.mountPath())
                            .put("readOnly", true));
        } else if (!isOurs(pod, mount, present.get())) {
            notes.withheld("%s: its own mount of '%s' at %s was kept"
                    .formatted(
                            container.label(),
                            UserText.shown(present.get().path("name").asText()),
                            mount.mountPath()));
        }
    }

    private static boolean isOurs(Draft pod, HostMount mount, JsonNode volumeMount) {
        var volume = volumeMount.path("name").asText();
        return volumeMount.path("subPath").asText("").isEmpty()
                && volumesOf(pod, mount).anyMatch(name -> name.equals(volume));
    }

    /** The name of a volume with the mount's content: one that is there, else a new one under a name that is free. */
    private static String volume(Draft pod, HostMount mount) {
        return volumesOf(pod, mount).findFirst().orElseGet(() -> add(pod, mount));
    }

    private static Stream<String> volumesOf(Draft pod, HostMount mount) {
        return stream(pod.at(VOLUMES))
                .filter(volume -> withoutTrailingSlash(
                                volume.path("hostPath").path("path").asText())
                        .equals(mount.hostPath()))
                .map(volume -> volume.path("name").asText());
    }

    private static String add(Draft pod, HostMount mount) {
        var name = freeName(pod, mount.volume());
        var source = NODES.objectNode().put("path", mount.hostPath());
        if (mount.isFile()) {
            source.put("type", "File");
        }
        pod.append(VOLUMES, NODES.objectNode().put("name", name).set("hostPath", source));
        return name;
    }

    private static String freeName(Draft pod, String wanted) {
        var taken = takenNames(pod);
        var ours = "trainyard-" + wanted;
        return Stream.concat(
                        Stream.of(wanted, ours),
                        Stream.iterate(2, number -> number + 1).map(number -> ours + "-" + number))
                .filter(name -> !taken.contains(name))
                .findFirst()
                .orElseThrow();
    }

    /** Names of volumes, and names that containers mount: a mount without its volume is a mistake that we must not hide. */
    private static Set<String> takenNames(Draft pod) {
        var mounted = Container.of(pod).stream().flatMap(container -> stream(pod.at(container.member("volumeMounts"))));
        return Stream.concat(stream(pod.at(VOLUMES)), mounted)
                .map(named -> named.path("name").asText())
                .collect(Collectors.toSet());
    }

    private static Stream<JsonNode> stream(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }
}
