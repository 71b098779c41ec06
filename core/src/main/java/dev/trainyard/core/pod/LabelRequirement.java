package dev.trainyard.core.pod;

import java.util.List;
import java.util.Map;

/**
 * One condition on the labels of a node, a pod or a namespace (or on a node's name, under the key {@link #NAME_FIELD}).
 *
 * <p>Operators are those of {@code k8s.io/component-helpers/scheduling/corev1/nodeaffinity} and {@code k8s.io/apimachinery/pkg/labels}: an
 * absent label satisfies {@code NotIn} and {@code DoesNotExist}; {@code Gt} and {@code Lt} compare whole numbers and fail on anything else.
 */
public record LabelRequirement(String key, String operator, List<String> values) {

    /** The only field that {@code matchFields} may name. */
    public static final String NAME_FIELD = "metadata.name";

    public LabelRequirement {
        values = List.copyOf(values);
    }

    public boolean matches(Map<String, String> labels) {
        var value = labels.get(key);
        return switch (operator) {
            case "In" -> value != null && values.contains(value);
            case "NotIn" -> value == null || !values.contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt", "Lt" -> value != null && compares(value);
            default -> false;
        };
    }

    private boolean compares(String value) {
        try {
            long actual = Long.parseLong(value);
            long bound = Long.parseLong(values.get(0));
            return operator.equals("Gt") ? actual > bound : actual < bound;
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            return false;
        }
    }
}
