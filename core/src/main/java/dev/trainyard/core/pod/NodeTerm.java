package dev.trainyard.core.pod;

import java.util.List;
import java.util.Map;

/** A node selector term: all its requirements must hold. A term without requirements matches no node, as in Kubernetes. */
public record NodeTerm(List<LabelRequirement> labels, List<LabelRequirement> fields) {

    public NodeTerm {
        labels = List.copyOf(labels);
        fields = List.copyOf(fields);
    }

    /** Whether the term has a requirement. A term without one matches no node. */
    boolean hasRequirements() {
        return !labels.isEmpty() || !fields.isEmpty();
    }

    public boolean matches(String nodeName, Map<String, String> nodeLabels) {
        if (!hasRequirements()) {
            return false;
        }
        var nodeFields = Map.of(LabelRequirement.NAME_FIELD, nodeName);
        return labels.stream().allMatch(requirement -> requirement.matches(nodeLabels))
                && fields.stream().allMatch(requirement -> requirement.matches(nodeFields));
    }

    /** Whether the term matches only nodes of given names. */
    public boolean namesNodes() {
        return fields.stream()
                .anyMatch(field -> field.key().equals(LabelRequirement.NAME_FIELD)
                        && field.operator().equals("In"));
    }

    /** Whether a node that has these labels and possibly others could match. The name of the node is ignored. */
    public boolean mayMatch(Map<String, String> nodeLabels) {
        return hasRequirements()
                && labels.stream()
                        .allMatch(requirement ->
                                !nodeLabels.containsKey(requirement.key()) || requirement.matches(nodeLabels));
    }
}
