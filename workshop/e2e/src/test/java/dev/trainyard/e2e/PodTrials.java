package dev.trainyard.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Creations of pods in dry-run mode: an API server admits or refuses each pod, but does not store it. Pods are JSON trees, because typed
 * objects would drop unknown fields.
 */
record PodTrials(KubernetesClient client) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Creates a namespace for pods if it does not exist. */
    void makeNamespace(String name, NamespaceFacts facts) {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withAnnotations(facts.annotations())
                        .withLabels(facts.labels())
                        .endMetadata()
                        .build())
                .serverSideApply();
        client.serviceAccounts()
                .inNamespace(name)
                .withName("default")
                .waitUntilCondition(Objects::nonNull, 60, TimeUnit.SECONDS);
    }

    /**
     * Returns the pod as it would be stored.
     *
     * @throws KubernetesClientException if the pod would be refused
     */
    ObjectNode create(ObjectNode pod) {
        try {
            var path = "/api/v1/namespaces/%s/pods?dryRun=All"
                    .formatted(pod.path("metadata").path("namespace").asText());
            return (ObjectNode) JSON.readTree(client.raw(path, "POST", JSON.writeValueAsString(pod)));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Creates the pod without Trainyard's changes, so that only the API server's defaults and built-in admission apply. See
     * {@link #create}.
     */
    ObjectNode createUntouched(ObjectNode pod) {
        var annotations = annotations(pod);
        var optedOut = pod.deepCopy();
        setAnnotations(optedOut, annotations);
        optedOut.withObject("/metadata/annotations").put(Names.INJECT, "false");
        var created = create(optedOut);
        setAnnotations(created, annotations);
        return created;
    }

    static Map<String, String> annotations(ObjectNode pod) {
        var annotations = new HashMap<String, String>();
        pod.path("metadata")
                .path("annotations")
                .properties()
                .forEach(entry ->
                        annotations.put(entry.getKey(), entry.getValue().asText()));
        return annotations;
    }

    private static void setAnnotations(ObjectNode pod, Map<String, String> annotations) {
        var metadata = (ObjectNode) pod.get("metadata");
        metadata.remove("annotations");
        if (!annotations.isEmpty()) {
            annotations.forEach(metadata.putObject("annotations")::put);
        }
    }
}
