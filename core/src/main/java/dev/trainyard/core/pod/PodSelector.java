package dev.trainyard.core.pod;

import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A selector of pods by label: all requirements must hold. A selector without requirements selects every pod, as in Kubernetes. */
public record PodSelector(List<LabelRequirement> requirements) {

    public PodSelector {
        requirements = List.copyOf(requirements);
    }

    /**
     * Reads {@code matchLabels} and {@code matchExpressions}.
     *
     * @return the selector; empty if {@code selector} is null, which selects no pod
     * @throws IllegalArgumentException if an expression lacks its key or its operator
     */
    public static Optional<PodSelector> of(@Nullable LabelSelector selector) {
        if (selector == null) {
            return Optional.empty();
        }
        var requirements = new ArrayList<LabelRequirement>();
        Optional.ofNullable(selector.getMatchLabels())
                .orElse(Map.of())
                .forEach((key, value) -> requirements.add(new LabelRequirement(key, "In", List.of(value))));
        for (var expression :
                Optional.ofNullable(selector.getMatchExpressions()).orElse(List.of())) {
            if (expression.getKey() == null || expression.getOperator() == null) {
                throw new IllegalArgumentException("an expression of a label selector lacks its key or its operator");
            }
            requirements.add(new LabelRequirement(
                    expression.getKey(),
                    expression.getOperator(),
                    Optional.ofNullable(expression.getValues()).orElse(List.of())));
        }
        return Optional.of(new PodSelector(requirements));
    }

    public boolean selects(Map<String, String> labels) {
        return requirements.stream().allMatch(requirement -> requirement.matches(labels));
    }
}
