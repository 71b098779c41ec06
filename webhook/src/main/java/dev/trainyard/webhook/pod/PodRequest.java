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
 * @param namespace the request's namespace; the pod's own metadata may lack it
 * @param admission UID of the API server's request, which is written on a completed pod; empty if there is no request
 */
public record PodRequest(ObjectNode pod, String namespace, NamespaceFacts facts, String admission) {

    /** Creates a request without a UID, for a decision that no API server asked for. */
    public PodRequest(ObjectNode pod, String namespace, NamespaceFacts facts) {
        this(pod, namespace, facts, "");
    }

    /** Returns the pod's origin, with the annotations of the pod and the facts of its namespace. Annotations that are not text are ignored. */
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
