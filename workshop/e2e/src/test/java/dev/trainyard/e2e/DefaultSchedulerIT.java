package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.cli.Main;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The cluster's own kube-scheduler, with the configuration in {@code manifests/overlays/default-scheduler}, calls the extender for all
 * pods.
 */
@WithControlPlane
@Tag("install")
@ResourceLock(WithControlPlane.CLUSTER)
class DefaultSchedulerIT {

    private static final Path CONFIGURATION =
            Path.of(System.getProperty("trainyard.root"), "manifests/overlays/default-scheduler/kube-scheduler.yaml");

    /** The name of this test's default-scheduler. The scheduler of the control plane keeps running. */
    private static final String OWN = "own-scheduler";

    @Test
    void placesPodsOfAllKinds(ControlPlane controlPlane, KubernetesClient client, Namespace namespace)
            throws Exception {
        var tls = Files.createTempDirectory(controlPlane.dir(), "default-scheduler")
                .resolve("tls");
        int issued = Main.commandLine()
                .execute(
                        "certs",
                        "issue",
                        "--dir",
                        tls.toString(),
                        "--name",
                        "trainyard-scheduler",
                        "--client",
                        "--days",
                        "3650");
        assertThat(issued).isZero();
        try (var testCluster = TestSchedulers.open(controlPlane, client, "default-scheduler");
                var fleet = new TestFleet(controlPlane, client, namespace)) {
            var extender = testCluster.startExtender(options -> options.withSchedulerTls(tls));
            var configuration = (ObjectNode) new YAMLMapper().readTree(CONFIGURATION.toFile());
            configuration.withObject("/leaderElection").put("leaderElect", false);
            ((ObjectNode) configuration.at("/profiles/0")).put("schedulerName", OWN);
            var asked = (ObjectNode) configuration.at("/extenders/0");
            asked.put("urlPrefix", "https://127.0.0.1:" + extender.port()).put("httpTimeout", "20s");
            asked.withObject("/tlsConfig")
                    .put("caFile", tls.resolve("ca.crt").toString())
                    .put("certFile", tls.resolve("tls.crt").toString())
                    .put("keyFile", tls.resolve("tls.key").toString());
            var scheduler = "default-scheduler-it";
            controlPlane.startScheduler(scheduler, new YAMLMapper().writeValueAsString(configuration));
            try {
                fleet.pool("default-gpu", 1);
                fleet.tier("default-gpu", "default-gpu");
                fleet.node("default-gpu", "default-gpu", 1);
                fleet.node("default-cpu", 0);

                assertThat(nodeOf(client, fleet.make(named("training").gpus(1).tier("default-gpu"))))
                        .isEqualTo("default-gpu");
                assertThat(nodeOf(
                                client,
                                client.resource(own(named("web"), namespace)).create()))
                        .as("kept off the GPU machine")
                        .isEqualTo("default-cpu");
                assertThat(nodeOf(
                                client,
                                client.resource(pinned(own(named("device-plugin"), namespace)))
                                        .create()))
                        .as("a DaemonSet's pod has no other machine")
                        .isEqualTo("default-gpu");
                assertThat(extender.metric("trainyard_extender_calls_seconds_count{verb=\"choose\"}"))
                        .isGreaterThanOrEqualTo(3);
            } finally {
                controlPlane.stop(scheduler, Duration.ofSeconds(5));
            }
        }
    }

    private static String nodeOf(KubernetesClient client, Pod pod) {
        TrainingGround.awaitTrue(
                pod.getMetadata().getName() + " has a node",
                () -> client.pods().resource(pod).get().getSpec().getNodeName() != null);
        return client.pods().resource(pod).get().getSpec().getNodeName();
    }

    private static Pod own(TestPod pod, Namespace namespace) {
        var name = namespace.getMetadata().getName();
        return new PodBuilder(pod.in(name, name))
                .editSpec()
                .withSchedulerName(OWN)
                .endSpec()
                .build();
    }

    /** Sets the node affinity that the DaemonSet controller sets. */
    private static Pod pinned(Pod pod) {
        return new PodBuilder(pod)
                .editSpec()
                .withNewAffinity()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .addToNodeSelectorTerms(byName())
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .endAffinity()
                .endSpec()
                .build();
    }

    private static NodeSelectorTerm byName() {
        return new NodeSelectorTermBuilder()
                .addNewMatchField()
                .withKey("metadata.name")
                .withOperator("In")
                .withValues("default-gpu")
                .endMatchField()
                .build();
    }
}
