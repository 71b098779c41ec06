package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.MutationNotes;

/** A check for typical mistakes in node constraints, such as quotes from web pages and values whose type YAML guessed. */
final class TierSelectors {

    private static final JsonPointer NODE_SELECTOR = JsonPointer.compile("/spec/nodeSelector");
    private static final JsonPointer NODE_AFFINITY = JsonPointer.compile("/spec/affinity/nodeAffinity");
    private static final String TYPOGRAPHIC_QUOTES =
            "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb\u2033\u2032";

    /** The levels of objects and lists that are read. A value of the node affinity is seven levels deep; a hostile pod has hundreds. */
    private static final int DEPTH = 8;

    private TierSelectors() {}

    /**
     * Warns of typographic quotes: no label may contain them, so no node would match.
     *
     * @throws IllegalArgumentException if a value of the node selector is not text. Only a pod from a file can have such a value: the API
     *     server rejects the pod before it calls the webhook
     */
    static void check(Draft pod, MutationNotes notes) {
        var selector = pod.at(NODE_SELECTOR);
        selector.properties().forEach(label -> {
            if (label.getValue().isBoolean() || label.getValue().isNumber()) {
                throw new IllegalArgumentException(
                        "spec.nodeSelector %s is %s, which is not text, so the API server rejects the pod: write %s: \"%s\"%s"
                                .formatted(
                                        UserText.shown(label.getKey()),
                                        label.getValue().asText(),
                                        UserText.shown(label.getKey()),
                                        label.getValue().asText(),
                                        TroubleshootingTopic.SELECTOR_IS_NO_TEXT.see()));
            }
        });
        checkQuotes(selector, "spec.nodeSelector", DEPTH, notes);
        checkQuotes(pod.at(NODE_AFFINITY), "spec.affinity.nodeAffinity", DEPTH, notes);
    }

    private static void checkQuotes(JsonNode node, String place, int depth, MutationNotes notes) {
        if (depth == 0) {
            return;
        }
        if (node.isTextual()) {
            if (hasTypographicQuotes(node.textValue())) {
                notes.reservation("typographic quotes in %s: %s; expected plain quotes"
                        .formatted(place, UserText.shown(node.textValue())));
            }
        } else if (node.isArray()) {
            for (int index = 0; index < node.size(); index++) {
                checkQuotes(node.get(index), place + "[" + index + "]", depth - 1, notes);
            }
        } else {
            node.properties().forEach(member -> {
                var inside = place + "." + UserText.shown(member.getKey());
                if (hasTypographicQuotes(member.getKey())) {
                    notes.reservation("typographic quotes in %s; expected plain quotes".formatted(inside));
                }
                checkQuotes(member.getValue(), inside, depth - 1, notes);
            });
        }
    }

    private static boolean hasTypographicQuotes(String text) {
        return text.chars().anyMatch(character -> TYPOGRAPHIC_QUOTES.indexOf(character) >= 0);
    }
}
