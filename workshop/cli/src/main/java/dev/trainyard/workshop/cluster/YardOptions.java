package dev.trainyard.workshop.cluster;

import dev.trainyard.local.ControlPlaneOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The options of a {@link Yard}. Immutable; start from {@link #defaults()}.
 *
 * @param parts the components that run; the others are left out, to show their purpose
 * @param scanInterval the scaler's scan interval
 * @param cloud the cloud of the pools in {@code manifests/examples} and {@code manifests/demo}
 */
public record YardOptions(ControlPlaneOptions controlPlane, Set<Part> parts, Duration scanInterval, Cloud cloud) {

    public YardOptions {
        parts = Set.copyOf(parts);
    }

    public static YardOptions defaults() {
        return new YardOptions(
                ControlPlaneOptions.defaults(), EnumSet.allOf(Part.class), Duration.ofSeconds(2), Cloud.KWOK);
    }

    public YardOptions withControlPlane(ControlPlaneOptions newControlPlane) {
        return new YardOptions(newControlPlane, parts, scanInterval, cloud);
    }

    public YardOptions without(Set<Part> absent) {
        var remaining = EnumSet.copyOf(parts);
        remaining.removeAll(absent);
        return new YardOptions(controlPlane, remaining, scanInterval, cloud);
    }

    public YardOptions withCloud(Cloud newCloud) {
        return new YardOptions(controlPlane, parts, scanInterval, newCloud);
    }
}
