package dev.trainyard.webhook.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

class DraftTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ObjectNode received = json("{'a': {'x': 1}, 'list': [1], 'nothing': null}");
    private final Draft draft = Draft.of(received);

    @Test
    void leavesTheReceivedObjectAlone() {
        draft.put(path("/a/x"), json("{}"));
        draft.append(path("/list"), json("{}"));
        draft.remove(path("/nothing"));

        assertThat(received).isEqualTo(json("{'a': {'x': 1}, 'list': [1], 'nothing': null}"));
    }

    @Test
    void addsWhatIsAbsentAndReplacesWhatIsThere() {
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
    void makesAbsentAndNullParentsInOneOperation() {
        draft.append(path("/new/list"), json("{'n': 1}"));
        draft.append(path("/new/list"), json("{'n': 2}"));
        draft.put(path("/new/list/0/deep/er"), json("{}"));
        draft.append(path("/nothing"), json("{}"));

        assertOperations("[{'op': 'add', 'path': '/new', 'value': {'list': [{'n': 1, 'deep': {'er': {}}}, {'n': 2}]}},"
                + " {'op': 'add', 'path': '/nothing', 'value': [{}]}]");
    }

    @Test
    void escapesSlashesAndTildesInNames() {
        draft.put(JsonPointer.compile("/a").appendProperty("trainyard.dev/~tier"), json("{}"));

        assertOperations("[{'op': 'add', 'path': '/a/trainyard.dev~1~0tier', 'value': {}}]");
    }

    @Test
    void changesInsideAnAppendedItemGoIntoIt() {
        draft.append(path("/list"), json("{'n': 1}"));
        draft.put(path("/list/1/m"), json("{}"));

        assertOperations("[{'op': 'add', 'path': '/list/-', 'value': {'n': 1, 'm': {}}}]");
    }

    @Test
    void refusesToGoThroughWhatIsNoContainer() {
        assertThatThrownBy(() -> draft.put(path("/a/x/y"), json("{}"))).hasMessageContaining("/a/x");
        assertThatThrownBy(() -> draft.append(path("/a"), json("{}"))).hasMessageContaining("/a is not a list");
    }

    @Test
    void checkFindsPatchesThatDoNotApplyOrLeadElsewhere() {
        var patch = list("[{'op': 'add', 'path': '/not/there', 'value': 1}]");
        assertThat(PatchCheck.problem(received, patch, received))
                .hasValueSatisfying(problem -> assertThat(problem).contains("does not apply"));

        var elsewhere = list("[{'op': 'add', 'path': '/a/y', 'value': 1}]");
        assertThat(PatchCheck.problem(received, elsewhere, received))
                .hasValueSatisfying(problem -> assertThat(problem).contains("another pod"));

        assertThat(PatchCheck.problem(received, list("[]"), received)).isEmpty();
    }

    private void assertOperations(String expected) {
        assertThat(draft.operations()).isEqualTo(list(expected));
        assertThat(PatchCheck.problem(received, draft.operations(), draft.tree()))
                .isEmpty();
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
