package dev.trainyard.core.pod;

import dev.trainyard.core.node.Taint;
import org.jspecify.annotations.Nullable;

/**
 * A pod's leave to run on nodes with a taint. An absent key with {@code Exists} tolerates every key; an absent effect, every effect.
 *
 * <p>The rule is that of {@code k8s.io/component-helpers}' and {@code k8s.io/api}'s {@code Toleration.ToleratesTaint}.
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
        if ("Exists".equals(operator)) {
            return true;
        }
        boolean equal = operator == null || operator.isEmpty() || operator.equals("Equal");
        return equal && !anyKey && taint.valueOrEmpty().equals(value == null ? "" : value);
    }
}
