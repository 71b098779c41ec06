package dev.trainyard.workshop.cluster;

import dev.trainyard.local.ControlPlaneOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The options of a {@link TestCluster}. Immutable; start from {@link #defaults()}.
 *
 * @param parts the components to run; the demo leaves out a component to show its purpose
 * @param scanInterval the scaler's scan interval
 * @param jvmOptions options for the JVM of each component, in addition to those of the launcher
 * @param cloud the cloud of the pools in {@code manifests/examples} and {@code manifests/demo}
 */
public record TestClusterOptions(
        ControlPlaneOptions controlPlane,
        Set<InstalledComponent> parts,
        Duration scanInterval,
        List<String> jvmOptions,
        ChosenCloud cloud) {

    public TestClusterOptions {
        parts = Set.copyOf(parts);
        jvmOptions = List.copyOf(jvmOptions);
    }

    public static TestClusterOptions defaults() {
        return new TestClusterOptions(
                ControlPlaneOptions.defaults(),
                EnumSet.allOf(InstalledComponent.class),
                Duration.ofSeconds(2),
                List.of(),
                ChosenCloud.KWOK);
    }

    public TestClusterOptions withControlPlane(ControlPlaneOptions newControlPlane) {
        return new TestClusterOptions(newControlPlane, parts, scanInterval, jvmOptions, cloud);
    }

    public TestClusterOptions withScanInterval(Duration newScanInterval) {
        return new TestClusterOptions(controlPlane, parts, newScanInterval, jvmOptions, cloud);
    }

    public TestClusterOptions withJvmOptions(List<String> newJvmOptions) {
        return new TestClusterOptions(controlPlane, parts, scanInterval, newJvmOptions, cloud);
    }

    public TestClusterOptions without(Set<InstalledComponent> absent) {
        var remaining = EnumSet.copyOf(parts);
        remaining.removeAll(absent);
        return new TestClusterOptions(controlPlane, remaining, scanInterval, jvmOptions, cloud);
    }

    public TestClusterOptions withCloud(ChosenCloud newCloud) {
        return new TestClusterOptions(controlPlane, parts, scanInterval, jvmOptions, newCloud);
    }
}
