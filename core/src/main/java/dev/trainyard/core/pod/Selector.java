package dev.trainyard.core.pod;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A label selector: all its requirements must hold. Selectors with the same requirements in another order are equal.
 *
 * <p>As in {@code k8s.io/apimachinery/pkg/apis/meta/v1.LabelSelectorAsSelector}, an absent selector matches nothing, and an empty one matches
 * everything.
 */
public record Selector(List<LabelRequirement> requirements) {

    // This field must come before the constants, because the constructor uses it.
    private static final Comparator<LabelRequirement> ORDER = Comparator.comparing(LabelRequirement::key)
            .thenComparing(LabelRequirement::operator)
            .thenComparing(requirement -> String.join(",", requirement.values()));

    public static final Selector EVERYTHING = new Selector(List.of());

    /** The selector that no labels match, because its list of accepted values is empty. */
    public static final Selector NOTHING = new Selector(List.of(new LabelRequirement("", "In", List.of())));

    public Selector {
        requirements = requirements.stream().distinct().sorted(ORDER).toList();
    }

    /**
     * Reads {@code matchLabels} and {@code matchExpressions}.
     *
     * @param selector the selector; null selects nothing
     * @throws IllegalArgumentException if an expression lacks its key or its operator
     */
    public static Selector of(@Nullable LabelSelector selector) {
        if (selector == null) {
            return NOTHING;
        }
        var all = new ArrayList<LabelRequirement>();
        Objects.requireNonNullElse(selector.getMatchLabels(), Map.<String, String>of())
                .forEach((key, value) ->
                        all.add(new LabelRequirement(key, "In", List.of(Objects.requireNonNullElse(value, "")))));
        for (var expression :
                Objects.requireNonNullElse(selector.getMatchExpressions(), List.<LabelSelectorRequirement>of())) {
            if (expression.getKey() == null || expression.getOperator() == null) {
                throw new IllegalArgumentException("an expression of a label selector lacks its key or its operator");
            }
            all.add(new LabelRequirement(
                    expression.getKey(),
                    expression.getOperator(),
                    Objects.requireNonNullElse(expression.getValues(), List.of())));
        }
        return new Selector(all);
    }

    public boolean matches(Map<String, String> labels) {
        for (var requirement : requirements) {
            if (!requirement.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    /** Whether a requirement refers to the label {@code key}. */
    boolean mentions(String key) {
        return requirements.stream().anyMatch(requirement -> requirement.key().equals(key));
    }
}
