package dev.trainyard.bench.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReviewGeneratorTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @ValueSource(ints = {4096, 16_384, 65_536})
    void areExactlyAsLongAsAskedFor(int bytes) {
        assertThat(ReviewGenerator.of(ReviewKind.MUTATED, bytes)).hasSize(bytes);
        assertThat(ReviewGenerator.of(ReviewKind.UNTOUCHED, bytes)).hasSize(bytes);
    }

    @Test
    void largerOnesHaveMoreVariablesEachNotedInManagedFields() throws IOException {
        var review = review(ReviewKind.MUTATED, 16_384);

        var variables = review.at("/request/object/spec/containers/0/env");
        assertThat(variables.size()).isGreaterThan(50);
        var noted = review.at("/request/object/metadata/managedFields/0/fieldsV1/f:spec/f:containers")
                .path("k:{\"name\":\"tensorflow\"}")
                .path("f:env");
        assertThat(noted.size()).isEqualTo(variables.size() + 1); // managedFields has another entry for the list itself
    }

    @Test
    void onlyTheMutatedPodAsksForAGpu() throws IOException {
        var resources = "/request/object/spec/containers/0/resources";
        assertThat(review(ReviewKind.MUTATED, 4096).at(resources).toString()).contains("nvidia.com/gpu");
        assertThat(review(ReviewKind.UNTOUCHED, 4096).toString()).doesNotContain("nvidia.com");
    }

    @Test
    void aPodCannotBeShorterThanPlain() {
        assertThatThrownBy(() -> ReviewGenerator.of(ReviewKind.MUTATED, 1000))
                .hasMessageMatching("1000 bytes: the review of a plain pod has [0-9]{4}");
    }

    private static JsonNode review(ReviewKind kind, int bytes) throws IOException {
        return JSON.readTree(ReviewGenerator.of(kind, bytes));
    }
}
