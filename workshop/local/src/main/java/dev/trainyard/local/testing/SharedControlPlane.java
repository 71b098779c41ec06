package dev.trainyard.local.testing;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.binaries.KubernetesVersion;
import dev.trainyard.local.binaries.ProgressListener;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;

/** A control plane and a client for all tests of a JVM. The directory of the control plane is below {@code target/}. */
record SharedControlPlane(ControlPlane controlPlane, KubernetesClient client) implements AutoCloseable {

    static final ProgressListener PROGRESS = step -> System.err.println("[control plane] " + step);

    static SharedControlPlane start(KubernetesVersion version) {
        ControlPlane controlPlane = ControlPlane.start(
                ControlPlaneOptions.defaults()
                        .withVersion(version)
                        .withParentDirectory(Path.of("target", "control-plane")),
                PROGRESS);
        return new SharedControlPlane(controlPlane, controlPlane.client());
    }

    @Override
    public void close() {
        client.close();
        controlPlane.close();
    }
}
