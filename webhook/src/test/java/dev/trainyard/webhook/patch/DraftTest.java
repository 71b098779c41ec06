package dev.trainyard.webhook.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.zjsonpatch.JsonPatch;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DraftTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String RECEIVED = "{'a': {'x': 1}, 'list': [1], 'nothing': null}";

    private final ObjectNode received = json(RECEIVED);
    private final Draft draft = Draft.of(received);

    @Test
    void leavesTheReceivedObjectAlone() throws Exception {
        draft.put(path("/a/x"), json("{}"));
        draft.append(path("/list"), json("{}"));
        draft.remove(path("/nothing"));

        assertThat(received).isEqualTo(json("{'a': {'x': 1}, 'list': [1], 'nothing': null}"));
    }

    @Test
    void addsWhatIsAbsentAndReplacesWhatIsThere() throws Exception {
        draft.put(path("/a/y"), json("{}"));
        draft.put(path("/a/x"), json("{}"));

        assertOperations(
                "[{'op': 'add', 'path': '/a/y', 'value': {}}, {'op': 'replace', 'path': '/a/x', 'value': {}}]");
    }

    @Test
    void aChangeThatChangesNothingLeavesNoOperation() throws Exception {
        draft.put(path("/a/x"), JSON.readTree("1"));
        draft.remove(path("/a/z"));

        assertOperations("[]");
    }

    @Test
    void makesAbsentAndNullParentsInOneOperation() throws Exception {
        draft.append(path("/new/list"), json("{'n': 1}"));
        draft.append(path("/new/list"), json("{'n': 2}"));
        draft.put(path("/new/list/0/deep/er"), json("{}"));
        draft.append(path("/nothing"), json("{}"));

        assertOperations("[{'op': 'add', 'path': '/new', 'value': {'list': [{'n': 1, 'deep': {'er': {}}}, {'n': 2}]}},"
                + " {'op': 'add', 'path': '/nothing', 'value': [{}]}]");
    }

    @Test
    void escapesSlashesAndTildesInNames() throws Exception {
        draft.put(JsonPointer.compile("/a").appendProperty("trainyard.dev/~tier"), json("{}"));

        assertOperations("[{'op': 'add', 'path': '/a/trainyard.dev~1~0tier', 'value': {}}]");
    }

    @Test
    void changesInsideAnAppendedItemGoIntoIt() throws Exception {
        draft.append(path("/list"), json("{'n': 1}"));
        draft.put(path("/list/1/m"), json("{}"));

        assertOperations("[{'op': 'add', 'path': '/list/-', 'value': {'n': 1, 'm': {}}}]");
    }

    @Test
    void refusesToGoThroughWhatIsNoContainer() throws Exception {
        assertThatThrownBy(() -> draft.put(path("/a/x/y"), json("{}"))).hasMessageContaining("/a/x");
        assertThatThrownBy(() -> draft.append(path("/a"), json("{}"))).hasMessageContaining("/a is not a list");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{'op': 'add', 'path': '/not/there', 'value': 1}]        | does not apply: add /not/there: there is no object",
                "[{'op': 'replace', 'path': '/a/y', 'value': 1}]          | does not apply: replace /a/y: the path does not exist",
                "[{'op': 'remove', 'path': '/a/y'}]                       | does not apply: remove /a/y: the path does not exist",
                "[{'op': 'add', 'path': '/list/2', 'value': 1}]           | does not apply: add /list/2: the list has 1 items",
                "[{'op': 'replace', 'path': '/list/-', 'value': 1}]       | does not apply: replace /list/-: the list has 1",
                "[{'op': 'remove', 'path': '/list/1'}]                    | does not apply: remove /list/1: the list has 1",
                "[{'op': 'add', 'path': '', 'value': {}}]                 | does not apply: add : it would replace the pod",
                "[{'op': 'move', 'from': '/a', 'path': '/b'}]             | does not apply: move /b",
                "[{'op': 'add', 'path': '/a/y', 'value': 1}]              | does not produce the expected pod",
                "[{'op': 'add', 'path': '/list/-', 'value': 1}]           | does not produce the expected pod",
                "[{'op': 'replace', 'path': '/a/x', 'value': 2}]          | does not produce the expected pod",
                "[{'op': 'remove', 'path': '/a/x'}]                       | does not produce the expected pod",
            })
    void provesNoPatchThatDoesNotApplyOrLeadsElsewhere(String patch, String problem) {
        assertThatThrownBy(() -> PatchCheck.proved(received, list(patch), received))
                .isInstanceOf(UnprovedPatchException.class)
                .hasMessageContaining(problem);
        assertThat(received).as("stays as it was").isEqualTo(json(RECEIVED));
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.POSITIVE_INFINITY, Double.NaN})
    void provesNoPatchThatIsReadDifferentlyThanItWasWritten(double value) {
        var patch = JSON.createArrayNode();
        patch.addObject().put("op", "add").put("path", "/a/y").putArray("value").add(value);

        assertThatThrownBy(() -> PatchCheck.proved(received, patch, received))
                .isInstanceOf(UnprovedPatchException.class)
                .hasMessageContaining("read differently");
    }

    @Test
    void provesPatchWithEveryKindOfValue() throws Exception {
        draft.put(
                path("/a/y"), list("[true, false, null, 1, -1.5, 12345678901, 'caf\u00e9 \\n', [], [[]], {'z': {}}]"));

        assertThat(PatchCheck.proved(received, draft.operations(), draft.tree()))
                .isEqualTo(JSON.writeValueAsBytes(draft.operations()));
    }

    @Test
    void provesWhatZjsonpatchDoesToo() throws Exception {
        var patch = list(
                "[{'op': 'add', 'path': '/list/0', 'value': {'n': 1}}, {'op': 'add', 'path': '/list/1/-', 'value': 2},"
                        + " {'op': 'add', 'path': '/list/0/m', 'value': 3}, {'op': 'remove', 'path': '/list/0/n'},"
                        + " {'op': 'replace', 'path': '/a', 'value': []}, {'op': 'add', 'path': '/a/0', 'value': 4}]");
        var nested = json("{'a': {'x': 1}, 'list': [[1]]}");
        var before = nested.deepCopy();

        assertThat(PatchCheck.proved(nested, patch, JsonPatch.apply(patch, nested)))
                .isEqualTo(JSON.writeValueAsBytes(patch));
        assertThat(nested)
                .as("stays as it was, also what items of a list were moved by")
                .isEqualTo(before);
    }

    private void assertOperations(String expected) throws UnprovedPatchException {
        assertThat(draft.operations()).isEqualTo(list(expected));
        assertThat(PatchCheck.proved(received, draft.operations(), draft.tree()))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(draft.operations().toString());
        assertThat(received).as("stays as it was").isEqualTo(json(RECEIVED));
    }

    private static JsonPointer path(String path) {
        return JsonPointer.compile(path);
    }

    private static ObjectNode json(String text) {
        return (ObjectNode) list(text);
    }

    private static JsonNode list(String text) {
        try {
            return JSON.readTree(text.replace('\'', '"'));
        } catch (java.io.IOException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
