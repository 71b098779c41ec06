package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.gang.GangClaim;
import java.util.List;
import java.util.Optional;

/** A reader of the fields that say which gang a pod is of. */
public final class PodGangs {

    // All fields that GangClaim.of reads.
    private static final List<String> OF_METADATA = List.of("labels", "annotations", "ownerReferences");
    private static final List<String> OF_SPEC = List.of("schedulingGroup");

    private PodGangs() {}

    /**
     * Returns what a pod that is being created says about its gang; empty if the pod has no gang.
     *
     * @param namespace the request's namespace; the pod's own metadata may lack it
     * @throws IllegalArgumentException if a field of the pod is invalid; the message names the field
     */
    public static Optional<GangClaim> of(ObjectNode pod, String namespace) {
        var outline = JsonNodeFactory.instance.objectNode();
        outline.set("metadata", outline(pod.path("metadata"), OF_METADATA));
        outline.set("spec", outline(pod.path("spec"), OF_SPEC));
        var typed = TypedPods.read(outline);
        typed.getMetadata().setNamespace(namespace);
        return GangClaim.of(typed);
    }

    private static ObjectNode outline(JsonNode object, List<String> fields) {
        var outline = JsonNodeFactory.instance.objectNode();
        fields.stream().filter(object::has).forEach(field -> outline.set(field, object.get(field)));
        return outline;
    }
}
