package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DecisionTest {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** One decision of each kind, but two of kind {@link Completed}, which has two words. */
    private static final List<Decision> EXAMPLES = List.of(
            new Untouched("not ours", List.of()),
            completed(NODES.arrayNode().add("operation")),
            completed(NODES.arrayNode()),
            new Refused("half a GPU"),
            new Postponed("new"),
            new Malformed("a list where text should be"),
            new Failed("an internal error"));

    private static Completed completed(ArrayNode patch) {
        return new Completed(Optional.empty(), patch, new byte[0], List.of());
    }

    @Test
    void everyKindHasItsWordAmongAllWords() {
        assertThat(EXAMPLES.stream().<Class<?>>map(Object::getClass).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(Decision.class.getPermittedSubclasses());
        assertThat(EXAMPLES.stream().map(Decision::word)).containsExactlyInAnyOrderElementsOf(Decision.WORDS);
    }

    @Test
    void theReferenceListsEveryWord() throws IOException {
        var reference = Files.readString(Path.of(System.getProperty("trainyard.root"), "docs", "reference.md"));
        var section = reference.substring(reference.indexOf("### Decisions of the webhook"));
        var listed = section.substring(0, section.indexOf("\n## "))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("`", 3)[1]);

        assertThat(listed).containsExactlyInAnyOrderElementsOf(Decision.WORDS);
    }
}
