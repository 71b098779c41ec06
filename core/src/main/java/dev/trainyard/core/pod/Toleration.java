package dev.trainyard.core.pod;

import dev.trainyard.core.node.Taint;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A toleration, which allows a pod to run on nodes with a taint. An absent key with {@code Exists} tolerates every key. An absent effect
 * tolerates every effect. {@code Lt} tolerates a taint whose value is a number less than the toleration's number; {@code Gt} tolerates a
 * greater number.
 *
 * <p>The rules are those of {@code Toleration.ToleratesTaint} in {@code k8s.io/component-helpers} and {@code k8s.io/api}. {@code Lt} and
 * {@code Gt} follow KEP-5471.
 */
public record Toleration(
        @Nullable String key,
        @Nullable String operator,
        @Nullable String value,
        @Nullable String effect) {

    public boolean tolerates(Taint taint) {
        if (effect != null && !effect.isEmpty() && !effect.equals(taint.effect())) {
            return false;
        }
        boolean anyKey = key == null || key.isEmpty();
        if (!anyKey && !taint.key().equals(key)) {
            return false;
        }
        var word = operator == null || operator.isEmpty() ? "Equal" : operator;
        var bound = value == null ? "" : value;
        return switch (word) {
            case "Exists" -> true;
            case "Equal" -> !anyKey && taint.valueOrEmpty().equals(bound);
            case "Lt" -> !anyKey && isLess(taint.valueOrEmpty(), bound);
            case "Gt" -> !anyKey && isLess(bound, taint.valueOrEmpty());
            default -> false;
        };
    }

    /** Whether both texts are numbers and the first number is less. */
    private static boolean isLess(String one, String other) {
        var less = number(one);
        var more = number(other);
        return less.isPresent() && more.isPresent() && less.getAsLong() < more.getAsLong();
    }

    /** Parses a whole number as Kubernetes writes it; empty if the text is anything else, such as a number with a plus sign or leading zeros. */
    private static OptionalLong number(String text) {
        try {
            long number = Long.parseLong(text);
            return Long.toString(number).equals(text) ? OptionalLong.of(number) : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
