package dev.trainyard.extender.calls;

import dev.trainyard.core.Names;

/** The namespace and name of a Lease. */
public record LeaseName(String namespace, String name) {

    /** The Lease in {@code manifests/base/extender/scheduler-config.yaml}. */
    public static final LeaseName DEFAULT = new LeaseName(Names.NAMESPACE, Names.SCHEDULER);

    /**
     * Reads {@code NAMESPACE/NAME}.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public static LeaseName parse(String text) {
        var parts = text.split("/", -1);
        if (parts.length != 2 || parts[0].isBlank() || parts[1].isBlank()) {
            throw new IllegalArgumentException(
                    "'%s' does not name a Lease; expected NAMESPACE/NAME, such as %s".formatted(text, DEFAULT));
        }
        return new LeaseName(parts[0], parts[1]);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
