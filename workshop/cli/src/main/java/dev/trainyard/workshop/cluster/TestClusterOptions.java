package dev.trainyard.workshop.cluster;

import dev.trainyard.local.ControlPlaneOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The options of a {@link TestCluster}. Immutable; start from {@link #defaults()}.
 *
 * @param parts the components to run; the demo leaves out a component to show its purpose
 * @param scanInterval the scaler's scan interval
 * @param cloud the cloud of the pools in {@code manifests/examples} and {@code manifests/demo}
 */
public record TestClusterOptions(
        ControlPlaneOptions controlPlane, Set<InstalledComponent> parts, Duration scanInterval, ChosenCloud cloud) {

    public TestClusterOptions {
        parts = Set.copyOf(parts);
    }

    public static TestClusterOptions defaults() {
        return new TestClusterOptions(
                ControlPlaneOptions.defaults(),
                EnumSet.allOf(InstalledComponent.class),
                Duration.ofSeconds(2),
                ChosenCloud.KWOK);
    }

    public TestClusterOptions withControlPlane(ControlPlaneOptions newControlPlane) {
        return new TestClusterOptions(newControlPlane, parts, scanInterval, cloud);
    }

    public TestClusterOptions without(Set<InstalledComponent> absent) {
        var remaining = EnumSet.copyOf(parts);
        remaining.removeAll(absent);
        return new TestClusterOptions(controlPlane, remaining, scanInterval, cloud);
    }

    public TestClusterOptions withCloud(ChosenCloud newCloud) {
        return new TestClusterOptions(controlPlane, parts, scanInterval, newCloud);
    }
}
