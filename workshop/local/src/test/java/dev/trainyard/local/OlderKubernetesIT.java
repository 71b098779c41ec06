package dev.trainyard.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@WithControlPlane(version = "1.32")
@Tag("versions")
class OlderKubernetesIT {

    @Test
    void completesAJob(KubernetesClient client, Namespace namespace) {
        assertThat(client.getKubernetesVersion().getGitVersion()).startsWith("v1.32.");
        TestWorkloads workloads = new TestWorkloads(client, namespace);
        workloads.createNode("older-node");

        workloads.await(
                workloads.createJob("train", 2),
                job -> Objects.equals(job.getStatus().getSucceeded(), 2));
    }
}
