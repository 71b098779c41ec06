package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.webhook.decision.OurPlaces;
import dev.trainyard.webhook.decision.RandomCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The webhook never causes the API server to refuse a pod. Random pods are created twice, once without and once with the webhook. */
@WithControlPlane
@Tag("slow")
@ResourceLock(WithControlPlane.CLUSTER)
class RandomPodsIT {

    private static final int PODS = 250;

    /** Uses different pools and tiers for each seed. */
    @ParameterizedTest
    @ValueSource(longs = {42, 43, 44})
    void aValidPodStaysValidAndTheRestOfItStaysAsItWas(
            long seed, ControlPlane controlPlane, KubernetesClient client, Namespace namespace) throws Exception {
        var cluster = new RandomCluster(new Random(seed));
        int valid = 0;
        int completed = 0;
        var refusals = new ArrayList<String>();
        try (var webhook = RegisteredWebhook.start(controlPlane, client, poolsAndTiers(cluster))) {
            var watchedNamespace = namespace.getMetadata().getName();
            RegisteredWebhook.awaitCalledFor(client, watchedNamespace);
            for (int count = 0; count < PODS; count++) {
                var pod = cluster.creatablePod();
                ((ObjectNode) pod.path("spec")).put("automountServiceAccountToken", false);
                var alone = WebhookAnswer.toDryRun(client, RegisteredWebhook.UNWATCHED, pod);
                var watched = WebhookAnswer.toDryRun(client, watchedNamespace, pod);
                if (!alone.isAccepted()) {
                    continue;
                }
                valid++;
                if (!watched.isAccepted()) {
                    assertThat(watched.message()).as("%s", pod).startsWith(RegisteredWebhook.DENIED);
                    refusals.add(watched.message());
                    continue;
                }
                assertThat(rest(watched)).as("%s", pod).isEqualTo(rest(alone));
                OurPlaces.assertKept(alone.body(), watched.body());
                completed += isCompleted(watched) ? 1 : 0;
            }
            assertThat(webhook.decisions()).as("only dry runs").allMatch(line -> line.endsWith(" 0.0"));
        }
        assertThat(valid).as("valid pods, else this test says little").isGreaterThan(PODS * 4 / 5);
        assertThat(completed).as("pods that were completed").isGreaterThan(PODS / 2);
        assertThat(refusals).as("valid, and refused by the webhook").isEmpty();
    }

    private static List<HasMetadata> poolsAndTiers(RandomCluster cluster) {
        var made = new ArrayList<HasMetadata>();
        var pools = cluster.pools();
        pools.forEach((name, spec) -> {
            var pool = new TrainingPool();
            pool.getMetadata().setName(name);
            pool.setSpec(spec);
            made.add(pool);
        });
        cluster.tiers(pools.keySet()).forEach((name, spec) -> {
            var tier = new TrainingTier();
            tier.getMetadata().setName(name);
            tier.setSpec(spec);
            made.add(tier);
        });
        return made;
    }

    private static boolean isCompleted(WebhookAnswer answer) {
        return answer.body().at("/metadata/annotations").has(Names.INJECTED);
    }

    /** Returns the pod without the parts that we may change, and without values that differ with each creation. */
    private static ObjectNode rest(WebhookAnswer answer) {
        var rest = OurPlaces.cutFrom(answer.body());
        ((ObjectNode) rest.path("metadata"))
                .remove(List.of("namespace", "name", "uid", "creationTimestamp", "managedFields"));
        ((ObjectNode) rest.path("status"))
                .remove("conditions"); // the API server adds one to a pod with a scheduling gate
        return rest;
    }
}
