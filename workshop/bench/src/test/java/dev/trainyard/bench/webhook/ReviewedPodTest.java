package dev.trainyard.bench.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class ReviewedPodTest {

    private static final String REVIEW = """
            {"request":{"object":{"metadata":{"creationTimestamp":null},"spec":{"priority":0}}}}""";

    @Test
    void isTheSameAfterDifferentPatchesWithTheSameEffect() throws IOException {
        var replaced = pod("""
                [{"op":"replace","path":"/spec/priority","value":5}]""");
        var added = pod("""
                [{"op":"remove","path":"/metadata/creationTimestamp"},{"op":"add","path":"/spec/priority","value":5}]""");

        assertThat(replaced).isEqualTo(added).isNotEqualTo(pod("""
                [{"op":"add","path":"/spec/priority","value":6}]"""));
    }

    @Test
    void isThePodUnderReviewIfTheAnswerHasNoPatch() throws IOException {
        var unchanged = ReviewedPod.of(REVIEW.getBytes(UTF_8), "{\"response\":{\"allowed\":true}}".getBytes(UTF_8));

        assertThat(unchanged).hasToString("{\"metadata\":{},\"spec\":{\"priority\":0}}");
    }

    private static Object pod(String patch) throws IOException {
        var answer = "{\"response\":{\"allowed\":true,\"patch\":\"%s\"}}"
                .formatted(Base64.getEncoder().encodeToString(patch.getBytes(UTF_8)));
        return ReviewedPod.of(REVIEW.getBytes(UTF_8), answer.getBytes(UTF_8));
    }
}
