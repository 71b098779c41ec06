package dev.trainyard.webhook.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.webhook.decision.Samples;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;

/** Checks that hold for the answer to any body. */
final class FuzzAnswers {

    private static final int LONGEST_WARNING = 120;
    private static final int LONGEST_MESSAGE = 2_000;

    /** A reader without the webhook's depth limit, so that only the webhook rejects deep bodies. */
    private static final JsonMapper JSON = JsonMapper.builder(com.fasterxml.jackson.core.JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(2_000)
                            .build())
                    .build())
            .build();

    private FuzzAnswers() {}

    /**
     * Checks an answer to a review.
     *
     * @return the object that would be stored; empty if the answer has no patch
     */
    static Optional<ObjectNode> check(byte[] sent, HttpResponse<byte[]> answer) throws IOException {
        var text = new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(text).doesNotContain("Exception", "\tat ", "dev.trainyard.", "com.fasterxml", "java.");
        if (answer.statusCode() != 200) {
            assertThat(answer.statusCode()).as(text).isBetween(400, 499);
            assertOneLine(text.stripTrailing());
            return Optional.empty();
        }
        var review = JSON.readTree(answer.body());
        assertThat(review.path("apiVersion").asText()).isEqualTo("admission.k8s.io/v1");
        assertThat(review.path("kind").asText()).isEqualTo("AdmissionReview");
        var response = review.path("response");
        var request = JSON.readTree(sent).path("request");
        assertThat(response.path("uid")).isEqualTo(request.path("uid"));
        assertThat(response.path("allowed").isBoolean()).isTrue();
        response.path("warnings").forEach(warning -> {
            assertThat(warning.asText()).hasSizeLessThanOrEqualTo(LONGEST_WARNING);
            assertOneLine(warning.asText());
        });
        if (!response.path("allowed").asBoolean()) {
            assertThat(response.has("patch")).isFalse();
            assertOneLine(response.at("/status/message").asText());
        }
        assertThat(response.has("patch")).isEqualTo(response.has("patchType"));
        return response.has("patch") ? Optional.of(patched(request.path("object"), response)) : Optional.empty();
    }

    private static ObjectNode patched(JsonNode object, JsonNode response) throws IOException {
        assertThat(response.path("patchType").asText()).isEqualTo("JSONPatch");
        var patch = JSON.readTree(response.path("patch").binaryValue());
        assertThat(patch.isArray()).isTrue();
        assertThat(patch).isNotEmpty();
        return (ObjectNode) Samples.apply(patch, object);
    }

    private static void assertOneLine(String text) {
        assertThat(text).isNotEmpty().hasSizeLessThanOrEqualTo(LONGEST_MESSAGE);
        assertThat(text.chars().noneMatch(Character::isISOControl))
                .as("prints: %s", text)
                .isTrue();
    }
}
