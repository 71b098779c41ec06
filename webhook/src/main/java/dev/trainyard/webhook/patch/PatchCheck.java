package dev.trainyard.webhook.patch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.zjsonpatch.JsonPatch;
import io.fabric8.zjsonpatch.JsonPatchException;
import java.io.IOException;
import java.util.Optional;

/**
 * Proves a patch by applying it. The API server answers 500 for a patch that does not apply, whatever the webhook's
 * {@code failurePolicy}, so a patch that was not tried is worse than none.
 */
public final class PatchCheck {

    private static final ObjectMapper JSON = new ObjectMapper();

    private PatchCheck() {}

    /**
     * Applies {@code patch}, as it would go over the wire, to {@code received}.
     *
     * @return what is wrong: it does not apply, or does not lead to {@code expected}; empty when all is well
     */
    public static Optional<String> problem(JsonNode received, JsonNode patch, JsonNode expected) {
        try {
            // Read back from text: equal to what the API server will read, and sharing no node with the trees.
            var sent = JSON.readTree(JSON.writeValueAsBytes(patch));
            var result = JsonPatch.apply(sent, received.deepCopy());
            return result.equals(expected)
                    ? Optional.empty()
                    : Optional.of("the patch leads to another pod than wanted");
        } catch (JsonPatchException | JsonProcessingException e) {
            return Optional.of("the patch does not apply: " + e.getMessage());
        } catch (IOException e) {
            return Optional.of("the patch cannot be read back: " + e.getMessage());
        }
    }
}
