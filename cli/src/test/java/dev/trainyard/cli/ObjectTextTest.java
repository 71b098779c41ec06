package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

class ObjectTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e-3",
                "1E5",
                "1e5",
                "+1.5e3",
                "0x1F",
                "0o17",
                "017",
                "0b101",
                "1_000",
                "-1",
                "+12",
                ".5",
                "5.",
                ".inf",
                "-.INF",
                ".NaN",
                "yes",
                "No",
                "ON",
                "off",
                "y",
                "N",
                "True",
                "null",
                "NULL",
                "~",
                "=",
                "<<",
                "12:30:45",
                "1:20",
                "2024-01-01",
                "2024-01-01T10:00:00Z",
                "",
                " ",
                " a",
                "a ",
                "- a",
                "a: b",
                "a:",
                "a #b",
                "#a",
                "&a",
                "*a",
                "!a",
                "|",
                ">",
                "%a",
                "@a",
                "`a",
                "{a",
                "[a",
                "]",
                "'a'",
                "\"a\"",
                "?",
                "? a",
                "---",
                "...",
                "--- a",
                "_1",
                "a\nb",
                "a\nb\n",
                "  a\nb",
                "\n",
                "a\tb",
                "\u0007",
                "\u0085",
                "\ufeffa"
            })
    void aStringIsReadBackAsOne(String text) {
        var written = ObjectText.yaml(JsonNodeFactory.instance
                .objectNode()
                .put("value", text)
                .set("map", JsonNodeFactory.instance.objectNode().put(text, "a")));

        Map<String, Object> read = new Yaml().load(written);

        assertThat(read).containsEntry("value", text).containsEntry("map", Map.of(text, "a"));
    }

    // Readers of YAML 1.1 or 1.2 do not read these as strings. The reader of the test above knows only one of the two
    // versions.
    @ParameterizedTest
    @ValueSource(strings = {"1e-3", "0o17", "0x1F", "1E5", ".inf", "y", "N", "1e5"})
    void whatAnotherReaderTakesForANumberIsQuoted(String text) {
        assertThat(ObjectText.yaml(JsonNodeFactory.instance.objectNode().put("value", text)))
                .isEqualTo("---\nvalue: \"%s\"\n".formatted(text));
    }

    @Test
    void plainWordsPathsAndImagesStayBare() {
        for (var text :
                List.of("train", "nvidia.com/gpu", "/usr/lib", "ghcr.io/a/b:1.2@sha256:0f", "NoSchedule", "a-b")) {
            assertThat(ObjectText.yaml(JsonNodeFactory.instance.objectNode().put("value", text)))
                    .isEqualTo("---\nvalue: %s\n".formatted(text));
        }
    }
}
