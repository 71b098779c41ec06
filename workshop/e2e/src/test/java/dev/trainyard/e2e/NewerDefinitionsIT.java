package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.configuration.ClusterConfiguration;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.workshop.cluster.Kubectl;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** During an upgrade, the definitions are newer than the running replicas. Replicas use the parts of a pool that they support. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class NewerDefinitionsIT {

    private static final String DEFINITION = "base/crds/trainingpools.yaml";

    @AfterEach
    void restore(KubernetesClient client) throws Exception {
        for (var name : List.of("newer-usable", "newer-unusable")) {
            client.resources(TrainingPool.class).withName(name).delete();
        }
        var ours = (CustomResourceDefinition)
                RegisteredWebhook.objects(client, RegisteredWebhook.MANIFESTS.resolve(DEFINITION))
                        .get(0);
        definition(client).edit(found -> {
            found.setSpec(ours.getSpec());
            return found;
        });
    }

    @Test
    void aMemberOrAWordThatIsNotKnownYetKeepsNoPoolFromBeingListed(ControlPlane controlPlane, KubernetesClient client)
            throws Exception {
        RegisteredWebhook.install(client);
        definition(client).edit(NewerDefinitionsIT::withMore);
        TrainingGround.awaitTrue("the new definition is in force", () -> create(controlPlane));

        try (var old = KubernetesClients.open(controlPlane.kubeconfig());
                var configuration = ClusterConfiguration.watch(old)) {
            TrainingGround.awaitTrue("pools and tiers are listed", configuration::isComplete);

            assertThat(configuration.current().pools()).containsKey("newer-usable");
            assertThat(configuration.current().problems())
                    .contains(new Problem(
                            "TrainingPool",
                            "newer-unusable",
                            "spec.capacityType: missing, expected spot or on-demand"));
        }
    }

    private static Resource<CustomResourceDefinition> definition(KubernetesClient client) {
        return client.apiextensions().v1().customResourceDefinitions().withName("trainingpools.trainyard.dev");
    }

    private static CustomResourceDefinition withMore(CustomResourceDefinition definition) {
        var spec = definition
                .getSpec()
                .getVersions()
                .get(0)
                .getSchema()
                .getOpenAPIV3Schema()
                .getProperties()
                .get("spec");
        spec.getProperties()
                .put(
                        "addedLater",
                        new JSONSchemaPropsBuilder().withType("string").build());
        spec.getProperties().get("capacityType").setEnum(null);
        return definition;
    }

    /** Whether the API server accepted both objects with all their fields. */
    private static boolean create(ControlPlane controlPlane) {
        try {
            var file = Files.writeString(controlPlane.dir().resolve("newer.yaml"), """
                    apiVersion: trainyard.dev/v1alpha1
                    kind: TrainingPool
                    metadata: {name: newer-usable}
                    spec:
                      provider: {kwok: {}}
                      capacityType: spot
                      promise: {allocatable: {cpu: "1", memory: 1Gi}}
                      addedLater: x
                    ---
                    apiVersion: trainyard.dev/v1alpha1
                    kind: TrainingPool
                    metadata: {name: newer-unusable}
                    spec:
                      provider: {kwok: {}}
                      capacityType: reserved
                      promise: {allocatable: {cpu: "1", memory: 1Gi}}
                    """);
            return new Kubectl(controlPlane, controlPlane.dir())
                    .run("apply", "--validate=strict", "-f", file.toString())
                    .succeeded();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
