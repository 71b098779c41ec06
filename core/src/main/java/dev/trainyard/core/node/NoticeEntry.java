package dev.trainyard.core.node;

import dev.trainyard.core.api.TrainingClusterSpec.NoticeMeaning;
import dev.trainyard.core.api.TrainingClusterSpec.SignStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A row of a {@link NoticeTable}: a sign that another tool puts on a node, and its meaning.
 *
 * @param key the key of the taint, annotation or label, or the type of the condition
 * @param status the status with which a condition counts; has no meaning for other signs
 * @param meaning what the sign announces
 * @param lead the time from the appearance of the sign until the machine is gone, for signs that state no time. For {@link
 *     NoticeMeaning#SICK}, the time until the machine counts as sick
 * @param texts a condition's message, or the value of an annotation or label, must begin with one of these; empty if any text will do
 * @param labels labels that the node must have
 */
public record NoticeEntry(
        Sign sign,
        String key,
        SignStatus status,
        NoticeMeaning meaning,
        Duration lead,
        List<String> texts,
        Map<String, String> labels) {

    /** The part of a node that holds a sign. */
    public enum Sign {
        TAINT("taint"),
        CONDITION("condition"),
        ANNOTATION("annotation"),
        LABEL("label");

        private final String word;

        Sign(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /** Creates an entry for a taint, annotation or label, or for a condition with the status {@code True}. */
    public NoticeEntry(
            Sign sign,
            String key,
            NoticeMeaning meaning,
            Duration lead,
            List<String> texts,
            Map<String, String> labels) {
        this(sign, key, SignStatus.TRUE, meaning, lead, texts, labels);
    }

    public NoticeEntry {
        texts = List.copyOf(texts);
        labels = Map.copyOf(labels);
    }

    /** Whether the entry applies to a sign with this text on a node with these labels. */
    boolean applies(String text, Map<String, String> ofNode) {
        return (texts.isEmpty() || texts.stream().anyMatch(text::startsWith))
                && ofNode.entrySet().containsAll(labels.entrySet());
    }
}
