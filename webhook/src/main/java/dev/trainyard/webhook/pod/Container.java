package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.core.JsonPointer;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.webhook.patch.Draft;
import java.util.ArrayList;
import java.util.List;

/**
 * A container or init container (sidecars included) of the pod.
 *
 * @param at the path of the container in the pod
 * @param label the name of the container in messages
 */
public record Container(JsonPointer at, String label) {

    private static final JsonPointer CONTAINERS = JsonPointer.compile("/spec/containers");
    private static final JsonPointer INIT_CONTAINERS = JsonPointer.compile("/spec/initContainers");

    /**
     * Returns all containers, init containers last. Ephemeral containers are left out, because they are added by another API call and
     * cannot have GPUs.
     */
    public static List<Container> of(Draft pod) {
        var found = new ArrayList<Container>();
        collect(pod, CONTAINERS, "container", found);
        collect(pod, INIT_CONTAINERS, "init container", found);
        return found;
    }

    private static void collect(Draft pod, JsonPointer path, String word, List<Container> found) {
        var containers = pod.at(path);
        for (int index = 0; index < containers.size(); index++) {
            var name = containers.path(index).path("name").asText();
            found.add(new Container(path.appendIndex(index), word + " '" + UserText.shown(name) + "'"));
        }
    }

    /** Whether this is an init container, or a sidecar among them. */
    public boolean isInit() {
        return at.tail().getMatchingProperty().equals("initContainers");
    }

    /** Returns the path of a member of this container. */
    public JsonPointer member(String name) {
        return at.appendProperty(name);
    }
}
