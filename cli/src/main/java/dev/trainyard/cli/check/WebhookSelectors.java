package dev.trainyard.cli.check;

import dev.trainyard.core.pod.Selector;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Functions for the label selectors of webhooks. A missing selector selects everything. */
final class WebhookSelectors {

    /** The label with the name of the namespace, which Kubernetes sets on every namespace. */
    private static final String NAME = "kubernetes.io/metadata.name";

    private WebhookSelectors() {}

    static Selector read(@Nullable LabelSelector selector) {
        return selector == null ? Selector.EVERYTHING : Selector.of(selector);
    }

    /** Whether the selector matches a namespace that is called {@code name} and has no other labels. */
    static boolean matchesNamespace(@Nullable LabelSelector selector, String name) {
        return read(selector).matches(Map.of(NAME, name));
    }

    static boolean matches(@Nullable LabelSelector selector, ObjectMeta namespace) {
        var labels = new HashMap<String, String>(
                Optional.ofNullable(namespace.getLabels()).orElse(Map.of()));
        labels.put(NAME, namespace.getName());
        return read(selector).matches(labels);
    }

    /** Returns a text such as {@code team In [a, b]}; empty if the selector selects everything. */
    static String words(@Nullable LabelSelector selector) {
        return read(selector).requirements().stream()
                .map(one -> "%s %s%s"
                        .formatted(one.key(), one.operator(), one.values().isEmpty() ? "" : " " + one.values()))
                .collect(Collectors.joining(", "));
    }
}
