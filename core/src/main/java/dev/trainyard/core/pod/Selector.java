package dev.trainyard.core.pod;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A label selector: all its requirements must hold. Selectors with the same requirements in another order are equal.
 *
 * <p>As in {@code k8s.io/apimachinery/pkg/apis/meta/v1.LabelSelectorAsSelector}, an absent selector matches nothing, and an empty one matches
 * everything.
 */
public record Selector(List<LabelRequirement> requirements) {

    // Must come before the constants, because their constructor uses it.
    private static final Comparator<LabelRequirement> ORDER = Comparator.comparing(LabelRequirement::key)
            .thenComparing(LabelRequirement::operator)
            .thenComparing(requirement -> String.join(",", requirement.values()));

    public static final Selector EVERYTHING = new Selector(List.of());

    /** Requires one of zero values, so no labels match. */
    public static final Selector NOTHING = new Selector(List.of(new LabelRequirement("", "In", List.of())));

    public Selector {
        requirements = requirements.stream().distinct().sorted(ORDER).toList();
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

    /** Whether a requirement refers to that label. */
    boolean mentions(String key) {
        return requirements.stream().anyMatch(requirement -> requirement.key().equals(key));
    }
}
