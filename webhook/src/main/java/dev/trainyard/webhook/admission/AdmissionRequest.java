package dev.trainyard.webhook.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.AdmissionTraceId;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.UserText;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The request of an {@code admission.k8s.io/v1} AdmissionReview.
 *
 * @param what operation and kind of the object, such as {@code CREATE Pod}
 * @param newPod the pod that is being created; null for all other requests
 * @param newJob the Job that is being created; null for all other requests
 * @param namespace the request's namespace; always set, although the pod's own {@code metadata.namespace} may be absent
 */
record AdmissionRequest(
        String uid,
        String what,
        @Nullable ObjectNode newPod,
        @Nullable ObjectNode newJob,
        String namespace,
        boolean dryRun) {

    static final String API_VERSION = "admission.k8s.io/v1";
    static final String KIND = "AdmissionReview";

    /** Signals a body that is not an AdmissionReview. The message states what was expected. */
    static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1;

        MalformedException(String message) {
            super(message);
        }
    }

    static AdmissionRequest parse(byte[] body) throws MalformedException {
        var review = read(body);
        var apiVersion = review.path("apiVersion").asText();
        var kind = review.path("kind").asText();
        if (!apiVersion.equals(API_VERSION) || !kind.equals(KIND)) {
            throw new MalformedException(
                    "the body is of apiVersion '%s' and kind '%s'; expected %s %s (admissionReviewVersions: [v1])"
                            .formatted(UserText.shown(apiVersion), UserText.shown(kind), API_VERSION, KIND));
        }
        var request = review.path("request");
        var uid = request.path("uid").isTextual() ? request.path("uid").asText() : "";
        if (uid.isEmpty()) {
            throw new MalformedException("request.uid is missing; expected an AdmissionReview from the API server");
        }
        return new AdmissionRequest(
                uid,
                request.path("operation").asText() + " "
                        + request.path("kind").path("kind").asText(),
                created(request, "", "Pod"),
                created(request, "batch", "Job"),
                request.path("namespace").asText(),
                request.path("dryRun").asBoolean());
    }

    /** Returns the object that is being created; null if the request is not the creation of an object of this kind. */
    private static @Nullable ObjectNode created(JsonNode request, String group, String name) throws MalformedException {
        var kind = request.path("kind");
        boolean isCreated = kind.path("kind").asText().equals(name)
                && kind.path("group").asText().equals(group)
                && request.path("subResource").asText().isEmpty()
                && request.path("operation").asText().equals("CREATE");
        if (!isCreated) {
            return null;
        }
        if (request.path("object") instanceof ObjectNode object) {
            return object;
        }
        throw new MalformedException(
                "request.object is missing; expected the %s that is being created".formatted(name));
    }

    private static ObjectNode read(byte[] body) throws MalformedException {
        try {
            return ReviewReader.read(body)
                    .orElseThrow(() -> new MalformedException(
                            "the body is not a JSON object; expected an %s %s".formatted(API_VERSION, KIND)));
        } catch (JsonMappingException e) {
            throw new MalformedException("the body is not JSON: expected one object and nothing after it");
        } catch (JsonProcessingException e) {
            throw new MalformedException("the body is not JSON: " + UserText.printable(e.getOriginalMessage()));
        } catch (IOException e) {
            throw new MalformedException("the body cannot be read: " + e.getMessage());
        }
    }

    /**
     * Returns the trace ID, which identifies the pod in the logs of all components. If an earlier admission request for this pod left a
     * trace ID on the pod, that ID is returned; otherwise, the UID of this request.
     */
    String trace() {
        var left = newPod == null
                ? ""
                : newPod.path("metadata")
                        .path("annotations")
                        .path(Names.ADMISSION)
                        .asText();
        return AdmissionTraceId.of(left).orElse(UserText.shown(uid));
    }

    /** Returns the word for the object in logs, metrics and messages. */
    String noun() {
        return newJob == null ? "pod" : "job";
    }

    /** Returns the object's name for log lines. A pod of a controller has no name yet, so its {@code generateName} is used. */
    String objectName() {
        var object = newJob == null ? newPod : newJob;
        if (object == null) {
            return "";
        }
        var metadata = object.path("metadata");
        var name = metadata.path("name").asText();
        return UserText.shown(namespace) + "/"
                + UserText.shown(name.isEmpty() ? metadata.path("generateName").asText() + "*" : name);
    }
}
