package dev.trainyard.bench.extender;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.bench.process.BenchException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerCheckTest {

    private static final byte[] BODY = """
            {"Pod":{"metadata":{"name":"p"},"NodeNames":["no","node"]},"Nodes":null,"NodeNames":["a","b","gone"]}
            """.getBytes(UTF_8);

    private static final ExtenderRequests QUESTION =
            new ExtenderRequests("p", List.of("a", "b", "gone"), List.of("a", "b"), BODY, BODY);

    @Test
    void rightAnswersPass() {
        extender(Verb.CHOOSE, """
                {"NodeNames":["b"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}""");
        extender(Verb.FILTER, """
                {"NodeNames":["b","a"],"FailedNodes":{},"FailedAndUnresolvableNodes":{"gone":"why"},"Error":""}""");
        extender(Verb.PRIORITIZE, """
                [{"Host":"a","Score":10},{"Host":"b","Score":0}]""");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", """
                {"NodeNames":[],"FailedAndUnresolvableNodes":{"a":"why","b":"why","gone":"why"}}""", """
                {"NodeNames":["a","b","gone"],"FailedNodes":{},"FailedAndUnresolvableNodes":{}}""", """
                {"NodeNames":["a","b"],"FailedNodes":{},"FailedAndUnresolvableNodes":{}}""", """
                {"NodeNames":["a","b"],"FailedNodes":{"gone":"why"},"Error":"broken"}"""})
    void wrongOnesOfTheFilterDoNot(String answer) {
        assertThatThrownBy(() -> extender(Verb.FILTER, answer))
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("the extender answers filter of pod p wrongly: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "null", """
                [{"Host":"a","Score":0},{"Host":"b","Score":0}]""", """
                [{"Host":"a","Score":1},{"Host":"a","Score":0}]""", """
                [{"Host":"a","Score":0.5},{"Host":"b","Score":0}]""", """
                [{"Host":"a","Score":11},{"Host":"b","Score":0}]"""})
    void wrongOnesOfPrioritizeDoNot(String answer) {
        assertThatThrownBy(() -> extender(Verb.PRIORITIZE, answer)).isInstanceOf(BenchException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", """
                {"NodeNames":[],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}""", """
                {"NodeNames":["a","b"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}""", """
                {"NodeNames":["gone"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}""", """
                {"NodeNames":["a"],"FailedNodes":{},"FailedAndUnresolvableNodes":{"gone":"why"},"Error":""}""", """
                {"NodeNames":["a"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":"broken"}"""})
    void wrongOnesOfChooseDoNot(String answer) {
        assertThatThrownBy(() -> extender(Verb.CHOOSE, answer))
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("the extender answers choose of pod p wrongly: ");
    }

    @Test
    void choosesNothingIfNoNodePassesTheFilter() {
        var question = new ExtenderRequests("p", List.of("gone"), List.of(), BODY, BODY);
        var refusal = """
                {"NodeNames":[],"FailedNodes":{},"FailedAndUnresolvableNodes":{"gone":"why"},"Error":""}""";

        AnswerCheck.ofExtender().check(question, Verb.CHOOSE, refusal.getBytes(UTF_8));
        var nothing = "{}".getBytes(UTF_8);
        assertThatThrownBy(() -> AnswerCheck.ofExtender().check(question, Verb.CHOOSE, nothing))
                .isInstanceOf(BenchException.class);
    }

    @Test
    void theFloorMustChooseTheFirstNode() throws IOException {
        var choose = Echo.answer(Verb.CHOOSE, BODY);
        assertThat(new String(choose, UTF_8)).isEqualTo("""
                {"Nodes":null,"NodeNames":["a"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}""");
        AnswerCheck.ofFloor().check(QUESTION, Verb.CHOOSE, choose);
        var second = new String(choose, UTF_8).replace("\"a\"", "\"b\"").getBytes(UTF_8);
        assertThatThrownBy(() -> AnswerCheck.ofFloor().check(QUESTION, Verb.CHOOSE, second))
                .isInstanceOf(BenchException.class);
    }

    @Test
    void theFloorLetsAllPassAndReadsNoNamesInsideThePod() throws IOException {
        var filter = Echo.answer(Verb.FILTER, BODY);
        assertThat(new String(filter, UTF_8)).isEqualTo("""
                {"Nodes":null,"NodeNames":["a","b","gone"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}""");
        AnswerCheck.ofFloor().check(QUESTION, Verb.FILTER, filter);
        assertThat(new String(Echo.answer(Verb.PRIORITIZE, BODY), UTF_8)).isEqualTo("""
                [{"Host":"a","Score":0},{"Host":"b","Score":0},{"Host":"gone","Score":0}]""");
    }

    private static void extender(Verb verb, String answer) {
        AnswerCheck.ofExtender().check(QUESTION, verb, answer.getBytes(UTF_8));
    }
}
