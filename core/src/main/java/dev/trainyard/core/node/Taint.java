package dev.trainyard.core.node;

import org.jspecify.annotations.Nullable;

/** A taint of a node. The effect is written as in Kubernetes, such as {@code NoSchedule}. */
public record Taint(String key, @Nullable String value, String effect) {

    public static final String NO_SCHEDULE = "NoSchedule";
    public static final String NO_EXECUTE = "NoExecute";

    /** Whether the taint keeps new pods off the node; {@code PreferNoSchedule} does not. */
    public boolean repels() {
        return effect.equals(NO_SCHEDULE) || effect.equals(NO_EXECUTE);
    }

    /** Returns the value; empty text if the value is absent, because Kubernetes treats the two alike. */
    public String valueOrEmpty() {
        return value == null ? "" : value;
    }

    @Override
    public String toString() {
        return key + (valueOrEmpty().isEmpty() ? "" : "=" + value) + ":" + effect;
    }
}
