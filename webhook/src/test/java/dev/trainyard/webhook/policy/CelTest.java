package dev.trainyard.webhook.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CelTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"spot\" | \"spot\"",
                "[] | []",
                "{} | {}",
                "[\"a\", \"b\"] | [\"a\", \"b\"]",
                "[1, 2] | [1, 2]",
                "{\"a\": \"x\", \"b\": \"y\"} | {\"a\": \"x\", \"b\": \"y\"}",
                "{\"a\": 9223372036854775807} | {\"a\": 9223372036854775807}",
            })
    void membersOfOneTypeStandAsTheyAre(String json, String cel) throws JsonProcessingException {
        assertThat(literal(json)).isEqualTo(cel);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[\"a\", 1] | [dyn(\"a\"), dyn(1)]",
                "{\"a\": \"x\", \"b\": true} | {\"a\": dyn(\"x\"), \"b\": dyn(true)}",
                "[[\"a\"], []] | [dyn([\"a\"]), dyn([])]",
            })
    void membersOfSeveralTypesBecomeDyn(String json, String cel) throws JsonProcessingException {
        assertThat(literal(json)).isEqualTo(cel);
    }

    @Test
    void nothingEndsAText() throws JsonProcessingException {
        assertThat(literal("\"it's \\\"so\\\", \\\\ and\\nmore\"")).isEqualTo("\"it's \\\"so\\\", \\\\ and\\nmore\"");
    }

    @Test
    void objectsOfAListHaveLinesOfTheirOwn() throws JsonProcessingException {
        assertThat(literal("[{\"a\": \"x\"}, {\"a\": \"y\"}]")).isEqualTo("[\n  {\"a\": \"x\"},\n  {\"a\": \"y\"}]");
    }

    @Test
    void whatHasNoLiteralIsAMistakeOfOurs() {
        assertThatThrownBy(() -> literal("[1.5]")).hasMessageContaining("1.5");
    }

    private static String literal(String json) throws JsonProcessingException {
        return Cel.literal(new ObjectMapper().readTree(json));
    }
}
