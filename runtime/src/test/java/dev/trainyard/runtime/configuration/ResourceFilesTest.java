package dev.trainyard.runtime.configuration;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceFilesTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Nested
    class Aliases {

        @Test
        void standForWhatTheirAnchorsName() {
            assertThat(yaml("""
                    kind: Pod
                    metadata: {name: &name train, labels: &labels {app: *name, rank: &rank 3}}
                    spec: {image: *name, count: *rank, selector: *labels}
                    """)).isEqualTo(json("""
                    {"kind": "Pod", "metadata": {"name": "train", "labels": {"app": "train", "rank": 3}},
                     "spec": {"image": "train", "count": 3, "selector": {"app": "train", "rank": 3}}}
                    """));
        }

        @Test
        void areCopiesThatChangeNothingElse() {
            var pod = yaml("{kind: Pod, a: &a {b: 1}, c: *a}");
            ((ObjectNode) pod.path("c")).put("b", 2);
            assertThat(pod.at("/a/b").asInt()).isEqualTo(1);
        }

        @Test
        void mergeKeysAddTheFieldsThatAreNotWritten() {
            assertThat(yaml("""
                    kind: Pod
                    one: &one {a: 1, b: 1}
                    two: &two {b: 2, c: 2}
                    merged: {<<: *one, b: 3}
                    late: {b: 3, <<: *one}
                    both: {<<: [*one, *two], d: 4}
                    quoted: {"<<": text}
                    """)).isEqualTo(json("""
                    {"kind": "Pod", "one": {"a": 1, "b": 1}, "two": {"b": 2, "c": 2},
                     "merged": {"a": 1, "b": 3}, "late": {"a": 1, "b": 3}, "both": {"a": 1, "b": 1, "c": 2, "d": 4},
                     "quoted": {"<<": "text"}}
                    """));
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "image: *img            | file, line 2: alias '*img' has no anchor before it",
                    "a: &a [*a]             | file, line 2: alias '*a' has no anchor before it",
                    "a: {<<: text}          | file, line 2: the value of '<<' must be a mapping or a list of mappings",
                    "a: {<<: [{b: 1}, two]} | file, line 2: the value of '<<' must be a mapping or a list of mappings",
                })
        void areRefusedWithTheirLineIfTheyStandForNothing(String line, String problem) {
            assertThatThrownBy(() -> yaml("kind: Pod\n" + line + "\n"))
                    .isInstanceOf(ResourceFileException.class)
                    .hasMessage(problem);
        }

        @ParameterizedTest
        @ValueSource(strings = {"a%d: &a%d [%s]", "a%d: &a%d {x: {y: %s}}"})
        void thatStandForBillionsOfValuesAreRefused(String shape) {
            var laughs = new StringBuilder("kind: Pod\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
            for (int i = 1; i < 12; i++) {
                var ten = String.join(", ", Collections.nCopies(10, "*a" + (i - 1)));
                laughs.append(shape.formatted(i, i, shape.contains("{x") ? "[" + ten + "]" : ten))
                        .append("\n");
            }
            assertThatThrownBy(() -> yaml(laughs.toString()))
                    .isInstanceOf(ResourceFileException.class)
                    .hasMessageMatching("file, line [78]: aliases expand to more than 1000000 values; .*");
        }
    }

    @Nested
    class Scalars {

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "0644        | 420",
                    "0x1F        | 31",
                    "-1_000      | -1000",
                    "5000000000  | 5000000000",
                    "99999999999999999999 | 99999999999999999999",
                    "2.5         | 2.5",
                    "1e3         | 1000.0",
                    "1.5e+3      | 1500.0",
                    "yes         | true",
                    "Off         | false",
                    "y           | '\"y\"'",
                    "~           | null",
                    "1:30        | '\"1:30\"'",
                    "2026-01-31  | '\"2026-01-31\"'",
                    "'\"0644\"'  | '\"0644\"'",
                    "!!str 0644  | '\"0644\"'",
                    "!!int \"7\"  | 7",
                })
        void areReadAsKubectlDoes(String written, String value) {
            assertThat(yaml("kind: Pod\nvalue: " + written + "\n").path("value"))
                    .isEqualTo(json("[" + value + "]").path(0));
        }

        @ParameterizedTest
        @ValueSource(strings = {"value: %s", "value: \"%s\"", "value: |-\n  %s"})
        void ofSeveralMegabytesAreRead(String form) {
            var text = "x".repeat(4_000_000);
            assertThat(yaml("kind: Pod\n" + form.formatted(text) + "\n")
                            .path("value")
                            .asText())
                    .hasSize(text.length());
        }
    }

    @Nested
    class Malformed {

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "kind: Pod;spec: {max: 1, max: 2}         | line 2: field 'max' occurs twice, first in line 2;",
                    "{\"kind\": \"Pod\";, \"max\": 1, \"max\": 2} | line 2: field 'max' occurs twice;",
                    "{\"kind\": \"Pod\",;\"a\": [1, 2}        | line 2: not JSON: Unexpected close marker",
                    "{\"kind\": \"Pod\",;\"a\": 1             | not JSON: Unexpected end-of-input",
                    "kind: Pod;a: [1, 2}                      | line 2: not YAML: while parsing a flow sequence",
                    "kind: Pod;a: {{ .Values.a }}             | line 2: not YAML: expected the name of a field",
                    "kind: Pod;a: x\u0001x                     | not YAML: character U+0001 is not allowed",
                })
        void textIsRefusedWithFileLineAndReason(String text, String problem) {
            assertThatThrownBy(() -> yaml(text.replace(';', '\n')))
                    .isInstanceOf(ResourceFileException.class)
                    .hasMessageStartingWith("file")
                    .hasMessageContaining(problem)
                    .hasMessageNotContainingAny("snakeyaml", "jackson", "Exception");
        }

        @ParameterizedTest
        @ValueSource(strings = {"kind: \u00ff", "{\"kind\": \"\u00ff\"}"})
        void textThatIsNotUtf8IsRefused(String text) {
            var bytes = text.getBytes(ISO_8859_1);
            assertThatThrownBy(() -> ResourceFiles.readAll("file", new ByteArrayInputStream(bytes)))
                    .isInstanceOf(ResourceFileException.class)
                    .hasMessageContaining("UTF-8");
        }

        @Test
        void namesWithControlCharactersAreRefused() {
            assertThatThrownBy(() -> yaml("{kind: Pod, metadata: {name: \"a\\e[31m\"}}"))
                    .hasMessage("file, document 1: metadata.name: Invalid value: \"a\\u001B[31m\":"
                            + " must not have control characters");
        }

        @Test
        void textThatIsNestedTooDeeplyIsRefused() {
            var deep = "[".repeat(20_000);
            assertThatThrownBy(() -> yaml("kind: Pod\na: " + deep)).hasMessageContaining("levels deep");
            assertThatThrownBy(() -> yaml("{\"kind\": " + deep)).hasMessageContaining("nesting depth");
        }
    }

    @Nested
    class Json {

        @Test
        void isRecognisedByWhatItBeginsWith() {
            // As YAML, the tab would be invalid, and the number with an exponent would be text.
            assertThat(yaml("\uFEFF \n{\t\"kind\": \"Pod\", \"value\": 1e3}").path("value"))
                    .isEqualTo(json("[1e3]").path(0));
        }

        @Test
        void documentsInBracesMayBeYaml() {
            assertThat(kinds("{\"kind\": \"Pod\"}\n---\n{\"kind\": Node} # not JSON\n"))
                    .containsExactly("Pod", "Node");
            assertThat(kinds("{kind: Pod}\n---\n{kind: Node}\n")).containsExactly("Pod", "Node");
            assertThat(kinds("{\"kind\": \"Pod\"}\n{\"kind\": \"Node\"}")).containsExactly("Pod", "Node");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"items\": [{}, {\"kind\": \"Node\"}]}",
                    "{\"apiVersion\": \"v1\", \"items\": [{}, {\"kind\": \"Node\"}], \"kind\": \"PodList\"}",
                    "items:\n- {}\n- kind: Node\nkind: PodList\napiVersion: v1\n",
                })
        void itemsOfAListHaveItsKindUnlessTheyHaveTheirOwn(String list) {
            assertThat(kinds(list)).containsExactlyInAnyOrder("Pod", "Node");
        }

        @Test
        void anObjectWithItemsThatIsNoListIsOneObject() {
            assertThat(yaml("{\"kind\": \"Menu\", \"items\": [1]}"))
                    .isEqualTo(json("{\"kind\": \"Menu\", \"items\": [1]}"));
            assertThatThrownBy(() -> yaml("{\"items\": [{\"kind\": \"Pod\"}], \"kind\": \"Menu\"}"))
                    .hasMessage("file, document 1: an object with items must be a List, but its kind is 'Menu'");
        }
    }

    /** Tests with a dump of a cluster that is generated during the read. */
    @Nested
    class LargeLists {

        private static final int ITEM = 6_000;
        private static final long READ_AHEAD = 3 << 20;

        private final AtomicLong produced = new AtomicLong();
        private final AtomicLong consumed = new AtomicLong();

        @Test
        void ofJsonAreReadItemByItem() {
            var items = IntStream.range(0, 10_000).mapToObj(i -> (i == 0 ? "" : ",") + pod(i));
            var text = Stream.of(
                            Stream.of("{\"apiVersion\": \"v1\", \"items\": ["),
                            items,
                            Stream.of("], \"kind\": \"List\"}"))
                    .flatMap(part -> part);

            assertThat(read(text).documents()).hasSize(10_000);
            assertThat(produced.get()).isGreaterThan(60_000_000);
        }

        @Test
        void ofYamlAreReadItemByItem() {
            var items = IntStream.range(0, 2_000).mapToObj(i -> "- " + pod(i) + "\n");
            var text = Stream.concat(Stream.of("kind: List\nitems:\n"), items);

            assertThat(read(text).documents()).hasSize(2_000);
        }

        /** Reads a list, and asserts at each item that the amount read ahead is bounded. */
        private ResourceFiles read(Stream<String> text) {
            return ResourceFiles.readAll("dump", stream(text), item -> {
                long ahead = produced.get() - consumed.addAndGet(ITEM);
                assertThat(ahead).isLessThan(READ_AHEAD);
                return JSON.createObjectNode().put("kind", "Pod");
            });
        }

        private InputStream stream(Stream<String> text) {
            var parts = text.iterator();
            return new InputStream() {
                private byte[] part = {};
                private int at;

                @Override
                public int read() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public int read(byte[] bytes, int from, int length) {
                    if (at == part.length) {
                        if (!parts.hasNext()) {
                            return -1;
                        }
                        part = parts.next().getBytes(UTF_8);
                        at = 0;
                        produced.addAndGet(part.length);
                    }
                    int number = Math.min(length, part.length - at);
                    System.arraycopy(part, at, bytes, from, number);
                    at += number;
                    return number;
                }
            };
        }

        private static String pod(int number) {
            return "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p%d\", \"annotations\": {\"note\": \"%s\"}}}"
                    .formatted(number, "n".repeat(ITEM));
        }
    }

    private static JsonNode yaml(String text) {
        var documents = documents(text);
        assertThat(documents).hasSize(1);
        return documents.get(0).object();
    }

    private static List<String> kinds(String text) {
        var kinds = new ArrayList<String>();
        documents(text).forEach(document -> kinds.add(document.kind()));
        return kinds;
    }

    private static List<ResourceFiles.Document> documents(String text) {
        return ResourceFiles.readAll("file", new ByteArrayInputStream(text.getBytes(UTF_8)))
                .documents();
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }
}
