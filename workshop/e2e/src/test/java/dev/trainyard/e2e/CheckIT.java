package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The check finds a scheduler whose configuration lacks the extender. It distinguishes an unreachable cluster from one with problems. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
@Order(4)
class CheckIT {

    private static final String OURS = "check-it";

    @Test
    void aSchedulerThatDoesNotAskTheExtenderIsFoundOut(
            ControlPlane controlPlane, KubernetesClient client, Namespace namespace) throws Exception {
        Node node = client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("check-node")
                        .addToLabels(OURS, "true")
                        .endMetadata()
                        .withNewStatus()
                        .withAllocatable(Map.of("cpu", new Quantity("24"), "pods", new Quantity("110")))
                        .endStatus()
                        .build())
                .create();
        try (var testCluster = TestSchedulers.open(controlPlane, client, "check-it")) {
            var extender = testCluster.startExtender();
            testCluster.startScheduler("", configuration -> {
                configuration.remove("extenders");
                configuration.withObject("/leaderElection").put("leaderElect", false);
            });
            client.resource(pod(namespace)).create();
            TrainingGround.awaitTrue(
                    "an Event tells what to do",
                    () ->
                            client
                                    .resources(Event.class)
                                    .inNamespace(namespace.getMetadata().getName())
                                    .list()
                                    .getItems()
                                    .stream()
                                    .anyMatch(event -> "ExtenderNotAsked".equals(event.getReason())
                                            && event.getNote()
                                                    .contains("manifests/base/extender/scheduler-config.yaml")));
            assertThat(extender.metric("trainyard_extender_pods_placed_unasked_total"))
                    .isEqualTo(1);
            assertThat(extender.metric("trainyard_extender_last_call_age_seconds"))
                    .isPositive();

            var result = CheckRun.of(controlPlane.kubeconfig());
            assertThat(result.out())
                    .contains("ok       definitions: ")
                    .contains("ok       extender: runs on ")
                    .contains(
                            "error    calls of the extender: in the last hour trainyard-scheduler placed pods without asking")
                    .contains(namespace.getMetadata().getName() + "/unasked")
                    .contains("warning  webhook: there is no MutatingWebhookConfiguration");
            assertThat(result.exitCode()).isEqualTo(1);
            var json = CheckRun.of(controlPlane.kubeconfig(), "--output", "json");
            assertThat(json.out()).startsWith("{").contains("\"ok\" : false").contains("\"level\" : \"error\"");
        } finally {
            client.resource(pod(namespace)).withGracePeriod(0).delete();
            client.resource(node).delete();
        }
    }

    @Test
    void aDefinitionThatIsNotThereIsFoundOut(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        TestSchedulers.open(controlPlane, client, "check-definitions").close();
        var tiers = client.apiextensions().v1().customResourceDefinitions().withName("trainingtiers.trainyard.dev");
        var kept = tiers.get();
        tiers.delete();
        TrainingGround.awaitTrue("the definition is gone", () -> tiers.get() == null);
        try {
            var result = CheckRun.of(controlPlane.kubeconfig());
            assertThat(result.out())
                    .contains("error    definitions: trainingtiers.trainyard.dev is not installed; apply "
                            + "manifests/base/crds from the installed release of Trainyard; see "
                            + "docs/troubleshooting.md#definitions");
            assertThat(result.exitCode()).isEqualTo(1);
        } finally {
            kept.getMetadata().setResourceVersion(null);
            client.resource(kept).create();
        }
    }

    @Test
    void aClusterThatCannotBeReachedIsNoClusterWithProblems(ControlPlane controlPlane) throws Exception {
        var nowhere = controlPlane.dir().resolve("nowhere.kubeconfig");
        Files.writeString(nowhere, """
                apiVersion: v1
                kind: Config
                clusters: [{name: nowhere, cluster: {server: "https://127.0.0.1:1"}}]
                contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
                users: [{name: nobody, user: {token: none}}]
                current-context: nowhere
                """);
        var result = CheckRun.of(nowhere);

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("https://127.0.0.1:1").contains("cannot be reached");
        assertThat(result.out()).isEmpty();
    }

    /** Expects the message for the answer 401, even if the API server ends the connection (GOAWAY) before this answer arrives. */
    @Test
    void whoeverTheApiServerDoesNotKnowIsToldSo(ControlPlane controlPlane) throws Exception {
        var known = Files.readString(controlPlane.kubeconfig());
        var users = known.substring(known.indexOf("users:"), known.indexOf("contexts:"));
        var stranger = controlPlane.dir().resolve("stranger.kubeconfig");
        Files.writeString(stranger, known.replace(users, "users:\n- name: 'admin'\n  user: {token: no-such-token}\n"));
        var result = CheckRun.of(stranger);

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err())
                .hasLineCount(1)
                .startsWith("trainyard: the cluster at https://127.0.0.1:")
                .contains(" rejected the login (")
                .contains("the credentials of user 'admin' of kubeconfig %s are missing, invalid".formatted(stranger));
        assertThat(result.out()).isEmpty();
    }

    private static Pod pod(Namespace namespace) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("unasked")
                .withNamespace(namespace.getMetadata().getName())
                .endMetadata()
                .withNewSpec()
                .withSchedulerName(Names.SCHEDULER)
                .addToNodeSelector(OURS, "true")
                .addNewContainer()
                .withName("main")
                .withImage("tensorflow")
                .endContainer()
                .endSpec()
                .build();
    }
}
