package dev.trainyard.webhook.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.pod.Notes;
import java.util.List;

/** A {@link Decision} as an {@code admission.k8s.io/v1} AdmissionReview. */
final class AdmissionResponse {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORBIDDEN = 403;
    private static final int UNAVAILABLE = 503;

    private AdmissionResponse() {}

    static byte[] of(String uid, Decision decision) {
        var response = JsonNodeFactory.instance.objectNode().put("uid", uid);
        if (decision instanceof Completed completed) {
            allow(response, completed.warnings());
            patch(response, completed.patch());
        } else if (decision instanceof Untouched untouched) {
            allow(response, untouched.warnings());
        } else if (decision instanceof Failed failed) {
            allow(response, List.of(Notes.shortWarning("Trainyard could not complete this pod: " + failed.problem())));
        } else if (decision instanceof Refused refused) {
            reject(response, FORBIDDEN, "Forbidden", refused.message());
        } else if (decision instanceof Postponed postponed) {
            reject(response, UNAVAILABLE, "ServiceUnavailable", postponed.message());
        }
        response.putObject("auditAnnotations").put("decision", decision.word());
        var review = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", AdmissionRequest.API_VERSION)
                .put("kind", AdmissionRequest.KIND)
                .set("response", response);
        return bytes(review);
    }

    private static void allow(ObjectNode response, List<String> warnings) {
        response.put("allowed", true);
        if (!warnings.isEmpty()) {
            warnings.forEach(response.putArray("warnings")::add);
        }
    }

    private static void reject(ObjectNode response, int code, String reason, String message) {
        response.put("allowed", false);
        response.putObject("status").put("code", code).put("reason", reason).put("message", message);
    }

    /** The API server wants both members or neither. */
    private static void patch(ObjectNode response, ArrayNode patch) {
        if (!patch.isEmpty()) {
            // Jackson writes bytes as base64, as the protocol has it.
            response.put("patchType", "JSONPatch").put("patch", bytes(patch));
        }
    }

    private static byte[] bytes(JsonNode tree) {
        try {
            return JSON.writeValueAsBytes(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree that cannot be written", e);
        }
    }
}
