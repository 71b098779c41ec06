package dev.trainyard.core.node;

import org.jspecify.annotations.Nullable;

/** A mark on a node that keeps pods away unless they tolerate it. Effects are Kubernetes' own words. */
public record Taint(String key, @Nullable String value, String effect) {

    public static final String NO_SCHEDULE = "NoSchedule";
    public static final String NO_EXECUTE = "NoExecute";

    /** Whether it keeps new pods off the node; {@code PreferNoSchedule} does not. */
    public boolean repels() {
        return effect.equals(NO_SCHEDULE) || effect.equals(NO_EXECUTE);
    }

    /** An absent value is the empty one, as everywhere in Kubernetes. */
    public String valueOrEmpty() {
        return value == null ? "" : value;
    }

    @Override
    public String toString() {
        return key + (valueOrEmpty().isEmpty() ? "" : "=" + value) + ":" + effect;
    }
}
