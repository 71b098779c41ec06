package dev.trainyard.extender.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.pod.PodReader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads what a real kube-scheduler 1.36.3 sent, and writes the bytes that it expects. */
class WireFormatTest {

    private final WireFormat wire = new WireFormat();

    @Test
    void readsARecordedQuestionWithNames() throws Exception {
        var question = wire.read(recorded("kube-scheduler-1.36.3-names.json"));

        assertThat(question.nodeNames()).containsExactly("heavy-spot-a", "heavy-spot-b");
        assertThat(question.nodeList()).isNull();
        assertThat(question.pod().getMetadata().getName()).isEqualTo("mnist-true");
        var shape = PodReader.shapeOf(question.pod());
        assertThat(shape.tier()).isEqualTo("heavy");
        assertThat(shape.requests()).hasToString("cpu 1500m, nvidia.com/gpu 1, pods 1");
    }

    @Test
    void answersNamesWithNames() throws Exception {
        var question = wire.read(recorded("kube-scheduler-1.36.3-names.json"));

        assertThat(text(wire.write(FilterAnswer.of(
                        question, List.of("heavy-spot-b"), Map.of("heavy-spot-a", "node(s) being removed")))))
                .isEqualTo("""
                        {"Nodes":null,"NodeNames":["heavy-spot-b"],"FailedNodes":{},\
                        "FailedAndUnresolvableNodes":{"heavy-spot-a":"node(s) being removed"},"Error":""}""");
    }

    @Test
    void writesAnEmptyListOfNamesAndNotNullWhenNoNodePasses() throws Exception {
        var question = wire.read(recorded("kube-scheduler-1.36.3-names.json"));

        assertThat(text(wire.write(FilterAnswer.of(question, List.of(), Map.of("heavy-spot-a", "x")))))
                .contains("\"NodeNames\":[]");
    }

    @Test
    void answersFullNodesWithThoseThatPassAsTheyCame() throws Exception {
        var body = recorded("kube-scheduler-1.36.3-full-nodes.json");
        var question = wire.read(body);
        assertThat(question.nodeNames()).containsExactly("heavy-spot-b", "heavy-spot-a");

        var answer = new ObjectMapper()
                .readTree(wire.write(FilterAnswer.of(question, List.of("heavy-spot-b"), Map.of("heavy-spot-a", "x"))));

        var sent = new ObjectMapper().readTree(body).path("Nodes");
        assertThat(answer.at("/Nodes/items")).hasSize(1);
        assertThat(answer.at("/Nodes/items/0")).isEqualTo(sent.at("/items/0"));
        assertThat(answer.at("/Nodes/metadata")).isEqualTo(sent.at("/metadata"));
        assertThat(answer.path("NodeNames")).hasSize(1);
    }

    @Test
    void writesScoresAsABareListOfWholeNumbers() {
        assertThat(text(wire.write(List.of(new HostScore("a", 10), new HostScore("b", 0)))))
                .isEqualTo("[{\"Host\":\"a\",\"Score\":10},{\"Host\":\"b\",\"Score\":0}]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                                                | the request: No content to map due to end-of-input
            null                                                              | Pod: missing, expected the pod to be scheduled
            {                                                                 | not JSON: Unexpected end-of-input
            []                                                                | the request: Cannot deserialize
            {"NodeNames":["a"]}                                               | Pod: missing, expected the pod to be scheduled
            {"Pod":{},"NodeNames":["a"]}                                      | Pod: has no metadata or no spec
            {"Pod":{"metadata":{},"spec":{}}}                                 | neither NodeNames nor Nodes is there
            {"Pod":{"metadata":{},"spec":{}},"NodeNames":["a",null]}          | NodeNames: a node without a name
            {"Pod":{"metadata":{},"spec":{}},"Nodes":{"items":[{}]}}          | Nodes.items: a node without a name
            {"Pod":{"metadata":{},"spec":{}},"NodeNames":"a"}                 | NodeNames: Cannot construct
            {"Pod":{"spec":{"containers":[{"ports":[{"hostPort":"x"}]}]}}}    | Pod.spec.containers[0].ports[0].hostPort: Cannot deserialize
            """)
    void saysInOneLineWhatIsWrongWithAMalformedQuestion(String body, String expected) {
        assertThatThrownBy(() -> wire.read(body.getBytes(UTF_8)))
                .isInstanceOf(MalformedRequestException.class)
                .message()
                .startsWith(expected)
                .hasLineCount(1);
    }

    @Test
    void refusesJsonThatIsNestedToDeathWithoutDying() {
        var body = "{\"Pod\":" + "[".repeat(100_000);

        assertThatThrownBy(() -> wire.read(body.getBytes(UTF_8))).isInstanceOf(MalformedRequestException.class);
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
