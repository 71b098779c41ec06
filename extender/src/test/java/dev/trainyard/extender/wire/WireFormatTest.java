package dev.trainyard.extender.wire;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests with recorded requests of a real kube-scheduler 1.36.3, and with the bytes that it expects. */
class WireFormatTest {

    private final NodeIndex index = new NodeIndex(InstantSource.system());
    private final WireFormat wire = new WireFormat(index);

    @Test
    void readsARecordedQuestionWithNames() throws Exception {
        var question = wire.read(recorded("kube-scheduler-1.36.3-names.json"));

        assertThat(question.nodes()).extracting(IndexedNode::name).containsExactly("heavy-spot-a", "heavy-spot-b");
        assertThat(question.nodeList()).isNull();
        assertThat(question.pod().uid()).isEqualTo("92d021ed-a28a-4104-ad04-dea0e6241361");
        assertThat(question.pod().resourceVersion()).isEqualTo("266");
        var facts = question.pod().read();
        assertThat(facts.name()).isEqualTo("mnist-true");
        assertThat(question.pod().isSameVersionAs(facts)).isTrue();
        var shape = facts.shape();
        assertThat(shape.tier()).isEqualTo("heavy");
        assertThat(shape.requests()).hasToString("cpu 1500m, nvidia.com/gpu 1, pods 1");
    }

    @Test
    void answersNamesWithNames() throws Exception {
        var question = wire.read(recorded("kube-scheduler-1.36.3-names.json"));

        assertThat(text(wire.write(question, verdicts("heavy-spot-b", "heavy-spot-a"))))
                .isEqualTo("""
                        {"Nodes":null,"NodeNames":["heavy-spot-b"],"FailedNodes":{},\
                        "FailedAndUnresolvableNodes":{"heavy-spot-a":"node(s) being removed"},"Error":""}""");
    }

    @Test
    void writesAnEmptyListOfNamesAndNotNullWhenNoNodePasses() throws Exception {
        var question = wire.read(recorded("kube-scheduler-1.36.3-names.json"));

        assertThat(text(wire.write(question, verdicts(null, "heavy-spot-a")))).contains("\"NodeNames\":[]");
    }

    @Test
    void answersFullNodesWithThoseThatPassAsTheyCame() throws Exception {
        var body = recorded("kube-scheduler-1.36.3-full-nodes.json");
        var question = wire.read(body);
        assertThat(question.nodes()).extracting(IndexedNode::name).containsExactly("heavy-spot-b", "heavy-spot-a");

        var answer = new ObjectMapper().readTree(wire.write(question, verdicts("heavy-spot-b", "heavy-spot-a")));

        var sent = new ObjectMapper().readTree(body).path("Nodes");
        assertThat(answer.at("/Nodes/items")).hasSize(1);
        assertThat(answer.at("/Nodes/items/0")).isEqualTo(sent.at("/items/0"));
        assertThat(answer.at("/Nodes/metadata")).isEqualTo(sent.at("/metadata"));
        assertThat(answer.path("NodeNames")).hasSize(1);
    }

    @Test
    void writesScoresAsABareListOfWholeNumbers() {
        assertThat(text(wire.write(List.of(index.node("a"), index.node("b")), new int[] {10, 0})))
                .isEqualTo("[{\"Host\":\"a\",\"Score\":10},{\"Host\":\"b\",\"Score\":0}]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                                                | the request is not a JSON object
            null                                                              | the request is not a JSON object
            {                                                                 | not JSON: Unexpected end-of-input
            []                                                                | the request is not a JSON object
            {"NodeNames":["a"]}                                               | Pod: missing, expected the pod to be scheduled
            {"Pod":[],"NodeNames":["a"]}                                      | Pod: not an object
            {"Pod":{"metadata":[]},"Nodes":3}                                 | Nodes: not an object
            {"Pod":{"metadata":{},"spec":{}}}                                 | NodeNames and Nodes are both missing
            {"Pod":{"metadata":{},"spec":{}},"NodeNames":["a",null]}          | NodeNames: an item is not a node's name
            {"Pod":{"metadata":{},"spec":{}},"Nodes":{"items":[{}]}}          | Nodes.items: a node without a name
            {"Pod":{"metadata":{},"spec":{}},"Nodes":{"items":{}}}            | Nodes.items: not a list
            {"Pod":{"metadata":{},"spec":{}},"NodeNames":"a"}                 | NodeNames: not a list
            {"Pod":{"metadata":{},"spec":{}},"NodeNames":{"a"]}               | NodeNames: not a list
            {"Pod":{"metadata":{},"spec":{}},"NodeNames":""a"]}               | NodeNames: not a list
            """)
    void saysInOneLineWhatIsWrongWithAMalformedQuestion(String body, String expected) {
        assertThatThrownBy(() -> wire.read(body.getBytes(UTF_8)))
                .isInstanceOf(MalformedRequestException.class)
                .message()
                .startsWith(expected)
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                        | Pod: has no metadata or no spec
            {"metadata":{"name":[]}}                                  | Pod.metadata.name: Cannot deserialize
            {"spec":{"containers":[{"ports":[{"hostPort":"x"}]}]}}    | Pod.spec.containers[0].ports[0].hostPort: Cannot deserialize
            {"metadata":{},"spec":{"overhead":{"cpu":"x"}}}           | Pod: spec.overhead cpu is 'x'; expected a Kubernetes quantity
            """)
    void saysInOneLineWhatIsWrongWithAPodWhenItIsRead(String pod, String expected) throws Exception {
        var question =
                wire.read("{\"NodeNames\":[\"a\"],\"Pod\": %s }".formatted(pod).getBytes(UTF_8));

        assertThatThrownBy(() -> question.pod().read())
                .isInstanceOf(MalformedRequestException.class)
                .message()
                .startsWith(expected)
                .hasLineCount(1);
    }

    /** A quantity of 100,000 digits once made the scheduler wait for two seconds. */
    @Test
    void refusesAQuantityOfManyDigitsWithoutReadingIt() throws Exception {
        var question = wire.read("""
                {"NodeNames":["a"],"Pod":{"metadata":{},"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"%s"}}}]}}}
                """.formatted("9".repeat(600_000)).getBytes(UTF_8));

        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> assertThatThrownBy(() -> question.pod().read())
                        .isInstanceOf(MalformedRequestException.class)
                        .hasMessageStartingWith(
                                "Pod: container 'main': resources.requests cpu is '99999999999999999999...' (600000 characters)"));
    }

    @Test
    void readsNamesHoweverTheyAreWritten() throws Exception {
        var question = wire.read("""
                {"Pod":{"metadata":{},"spec":{}},"NodeNames" : [ "plain-1",
                "plain-2" ,"n\\u00f6rdlich","q\\"uote","größe"], "Nodes":null}""".getBytes(UTF_8));

        assertThat(question.nodes())
                .extracting(IndexedNode::name)
                .containsExactly("plain-1", "plain-2", "nördlich", "q\"uote", "größe");
        assertThat(text(wire.write(question.nodes(), new int[] {0, 1, 2, 3, 4})))
                .contains("{\"Host\":\"q\\\"uote\",\"Score\":3}", "\"größe\"");
    }

    @Property(seed = "42")
    void readsTheSameNamesWhereverTheListIs(
            @ForAll @Size(max = 5)
                    List<
                                    @StringLength(min = 1, max = 40) @AlphaChars
                                    @Chars({'"', '\\', '\n', '\u0001', 'é', '-'}) String>
                            names)
            throws Exception {
        var list = new ObjectMapper().writeValueAsString(names);

        for (var body : List.of(
                "{\"Pod\":{},\"NodeNames\":%s}", "{\"Pod\":{},\"NodeNames\":%s} ", "{\"NodeNames\":%s,\"Pod\":{}}")) {
            assertThat(wire.read(body.formatted(list).getBytes(UTF_8)).nodes())
                    .extracting(IndexedNode::name)
                    .isEqualTo(names);
        }
    }

    @Test
    void readsMembersAfterTheNames() throws Exception {
        var question =
                wire.read("{\"NodeNames\":[\"a\", \"b\"],\"Pod\":{\"metadata\":{\"uid\":\"u\"}}}".getBytes(UTF_8));

        assertThat(question.nodes()).extracting(IndexedNode::name).containsExactly("a", "b");
        assertThat(question.pod().uid()).isEqualTo("u");
    }

    @Test
    void refusesAnotherEncoding() {
        var body = "{\"Pod\":{\"metadata\":{}},\"NodeNames\":[\"a\"]}".getBytes(UTF_16BE);

        assertThatThrownBy(() -> wire.read(body))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessage("not JSON: not in UTF-8");
    }

    @Test
    void refusesARequestThatEndsTooEarly() {
        var whole = "{\"Pod\":{\"metadata\":{}},\"NodeNames\":[\"machine-1\", \"machine-2\" ] }";

        for (int length = 0; length < whole.length(); length++) {
            var body = whole.substring(0, length).getBytes(UTF_8);
            assertThatThrownBy(() -> wire.read(body)).isInstanceOf(MalformedRequestException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[\"a\" \"b\"]",
                "[\"a\",]",
                "[,\"a\"]",
                "[\"a\",,\"b\"]",
                "[\"a\"}",
                "[\"a\nb\"]",
                "[\"a long name\u0001 with a control character\"]"
            })
    void refusesAListThatIsNotJson(String names) {
        assertThatThrownBy(() -> wire.read(
                        "{\"Pod\":{},\"NodeNames\":%s}".formatted(names).getBytes(UTF_8)))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessageStartingWith("not JSON");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[\"a\",\"\"]",
                "[\"a\",7]",
                "[null]",
                "[\"ö\",\"\"]",
                "[\"ö\",null]",
                "[\"ö\",3]",
                "[\"ö\",true]",
                "[[\"a\"]]"
            })
    void refusesAListWithSomethingThatIsNoName(String names) {
        assertThatThrownBy(() -> wire.read("{\"Pod\":{\"metadata\":{},\"spec\":{}},\"NodeNames\":%s}"
                        .formatted(names)
                        .getBytes(UTF_8)))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessageStartingWith("NodeNames: an item is not a node's name");
    }

    @Test
    void answersAnEmptyListOfFullNodesInKind() throws Exception {
        var question = wire.read("{\"Pod\":{\"metadata\":{},\"spec\":{}},\"Nodes\":{\"items\":null}}".getBytes(UTF_8));

        assertThat(text(wire.write(question, new Verdicts(List.of(), List.of()))))
                .startsWith("{\"Nodes\":{\"items\":[]},\"NodeNames\":[]");
    }

    @Test
    void readsVictimsWithUidsOnly() throws Exception {
        var question = wire.readPreemption("""
                {"Pod":{"metadata":{"uid":"u"},"spec":{}},"NodeNameToVictims":null,
                "NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"1"},{"UID":"2"}],"NumPDBViolations":1}}}
                """.getBytes(UTF_8));

        assertThat(question.pod().uid()).isEqualTo("u");
        assertThat(text(wire.write(question.victims())))
                .isEqualTo(
                        "{\"NodeNameToMetaVictims\":{\"a\":{\"Pods\":[{\"UID\":\"1\"},{\"UID\":\"2\"}],\"NumPDBViolations\":1}}}");
    }

    @Test
    void answersVictimsInFullWithTheirUids() throws Exception {
        var question = wire.readPreemption("""
                {"Pod":{"metadata":{},"spec":{}},"NodeNameToMetaVictims":null,
                "NodeNameToVictims":{"a":{"Pods":[{"metadata":{"name":"x","uid":"1"},"spec":{}}],"NumPDBViolations":0}}}
                """.getBytes(UTF_8));

        assertThat(text(wire.write(question.victims())))
                .isEqualTo("{\"NodeNameToMetaVictims\":{\"a\":{\"Pods\":[{\"UID\":\"1\"}],\"NumPDBViolations\":0}}}");
    }

    @Test
    void saysWhatIsMissingInAQuestionAboutVictims() {
        assertThatThrownBy(() -> wire.readPreemption("{\"Pod\":{}}".getBytes(UTF_8)))
                .hasMessageStartingWith("NodeNameToMetaVictims and NodeNameToVictims are both missing");
    }

    @Test
    void refusesJsonThatIsNestedToDeathWithoutDying() {
        var body = "{\"Pod\":" + "[".repeat(100_000);

        assertThatThrownBy(() -> wire.read(body.getBytes(UTF_8))).isInstanceOf(MalformedRequestException.class);
    }

    private Verdicts verdicts(String passed, String removing) {
        return new Verdicts(
                passed == null ? List.of() : List.of(index.node(passed)),
                List.of(new Verdicts.Refused(index.node(removing), FilterRefusal.REMOVING)));
    }

    private static byte[] recorded(String name) throws IOException {
        try (var stream = WireFormatTest.class.getResourceAsStream(name)) {
            return stream.readAllBytes();
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }
}
