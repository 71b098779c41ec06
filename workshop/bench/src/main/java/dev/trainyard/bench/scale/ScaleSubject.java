package dev.trainyard.bench.scale;

import dev.trainyard.local.ControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.URI;
import java.util.List;

/**
 * A running installation, without pools and tiers.
 *
 * @param client a client with the rights of an administrator
 */
public record ScaleSubject(ControlPlane controlPlane, KubernetesClient client, List<Component> components) {

    /** The names of the components. */
    public static final String WEBHOOK = "webhook";

    public static final String EXTENDER = "extender";
    public static final String SCALER = "scaler";

    /**
     * A process of the installation.
     *
     * @param name {@link #WEBHOOK}, {@link #EXTENDER} or {@link #SCALER}
     * @param metrics address of the component's metrics
     */
    public record Component(String name, long pid, URI metrics) {}

    public ScaleSubject {
        components = List.copyOf(components);
    }
}
