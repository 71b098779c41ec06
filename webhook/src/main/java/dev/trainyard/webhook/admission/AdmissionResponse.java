package dev.trainyard.webhook.admission;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.pod.MutationNotes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** A {@link Decision} as an {@code admission.k8s.io/v1} AdmissionReview. */
final class AdmissionResponse {

    private static final JsonFactory JSON = new JsonFactory();
    private static final int FIRST_BYTES = 4096;
    private static final int FORBIDDEN = 403;
    private static final int UNAVAILABLE = 503;

    private AdmissionResponse() {}

    static byte[] of(String uid, String noun, Decision decision) {
        var bytes = new ByteArrayOutputStream(FIRST_BYTES);
        try (var json = JSON.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringField("apiVersion", AdmissionRequest.API_VERSION);
            json.writeStringField("kind", AdmissionRequest.KIND);
            json.writeObjectFieldStart("response");
            json.writeStringField("uid", uid);
            write(noun, decision, json);
            json.writeObjectFieldStart("auditAnnotations");
            json.writeStringField("decision", decision.word());
        } catch (IOException e) {
            throw new UncheckedIOException("the admission response cannot be written as JSON", e);
        }
        return bytes.toByteArray(); // complete: closing the generator also closed all open objects
    }

    private static void write(String noun, Decision decision, JsonGenerator json) throws IOException {
        if (decision instanceof Completed completed) {
            allow(json, completed.warnings());
            patch(json, completed);
        } else if (decision instanceof Untouched untouched) {
            allow(json, untouched.warnings());
        } else if (decision instanceof Malformed malformed) {
            allow(json, notCompleted(noun, malformed.problem()));
        } else if (decision instanceof Failed failed) {
            allow(json, notCompleted(noun, failed.problem()));
        } else if (decision instanceof Refused refused) {
            reject(json, FORBIDDEN, "Forbidden", refused.message());
        } else if (decision instanceof Postponed postponed) {
            reject(json, UNAVAILABLE, "ServiceUnavailable", postponed.message());
        }
    }

    private static List<String> notCompleted(String noun, String problem) {
        return List.of(MutationNotes.shortWarning("Trainyard could not complete this %s: %s".formatted(noun, problem)));
    }

    private static void allow(JsonGenerator json, List<String> warnings) throws IOException {
        json.writeBooleanField("allowed", true);
        if (!warnings.isEmpty()) {
            json.writeFieldName("warnings");
            json.writeArray(warnings.toArray(String[]::new), 0, warnings.size());
        }
    }

    private static void reject(JsonGenerator json, int code, String reason, String message) throws IOException {
        json.writeBooleanField("allowed", false);
        json.writeObjectFieldStart("status");
        json.writeNumberField("code", code);
        json.writeStringField("reason", reason);
        json.writeStringField("message", message);
        json.writeEndObject();
    }

    /**
     * Writes the members {@code patchType} and {@code patch}. The API server requires both members or neither, so an empty patch is left
     * out.
     */
    private static void patch(JsonGenerator json, Completed completed) throws IOException {
        if (!completed.patch().isEmpty()) {
            json.writeStringField("patchType", "JSONPatch");
            json.writeBinaryField("patch", completed.json()); // base64, as the protocol requires
        }
    }
}
