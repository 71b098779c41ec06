package dev.trainyard.bench.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;

/** The pod of an AdmissionReview as a webhook's answer leaves it. Answers with different patches can leave the same pod. */
final class ReviewedPod {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CREATED = "creationTimestamp";

    private ReviewedPod() {}

    /** Applies the patch of {@code answer}, if there is one, to the pod of {@code review}. */
    static JsonNode of(byte[] review, byte[] answer) throws IOException {
        var pod = JSON.readTree(review).at("/request/object");
        var patch = JSON.readTree(answer).at("/response/patch");
        var patched = patch.isMissingNode() ? pod : JsonPatch.apply(JSON.readTree(patch.binaryValue()), pod);
        var metadata = (ObjectNode) patched.path("metadata");
        if (metadata.path(CREATED).isNull()) {
            metadata.remove(CREATED); // null means the same as no value, and the Go types write no value
        }
        return patched;
    }
}
