package dev.trainyard.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

@WithControlPlane
class ControlPlaneIT {

    @Test
    void answersWithItsVersion(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        assertThat(client.getKubernetesVersion().getGitVersion())
                .isEqualTo("v" + controlPlane.version().full());
        assertThat(namespace.getMetadata().getName()).startsWith("test-");
    }
}
