package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.admission.PodOrigin;
import java.util.ArrayList;
import java.util.HashMap;

/**
 * A pod that is being created.
 *
 * @param pod as received; never changed
 * @param namespace of the request; the pod's own metadata may lack it
 * @param admission the API server's name of the request, which is left on a pod that is completed; empty: of none
 */
public record PodRequest(ObjectNode pod, String namespace, NamespaceFacts facts, String admission) {

    /** Of no request: what would become of a pod. */
    public PodRequest(ObjectNode pod, String namespace, NamespaceFacts facts) {
        this(pod, namespace, facts, "");
    }

    /** What the pod and its namespace say of it, besides what it asks for. Annotations that are no text are as good as none. */
    public PodOrigin origin() {
        var metadata = pod.path("metadata");
        var annotations = new HashMap<String, String>();
        metadata.path("annotations").properties().stream()
                .filter(annotation -> annotation.getValue().isTextual())
                .forEach(annotation -> annotations.put(
                        annotation.getKey(), annotation.getValue().textValue()));
        var ownerKinds = new ArrayList<String>();
        metadata.path("ownerReferences")
                .forEach(owner -> ownerKinds.add(owner.path("kind").asText()));
        return new PodOrigin(namespace, annotations, ownerKinds, facts);
    }
}
