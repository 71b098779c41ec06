package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.webhook.decision.RandomCluster;
import dev.trainyard.webhook.pod.GpuNames;
import dev.trainyard.webhook.policy.Policies;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies for random pools and tiers, compared with the webhook's decisions on random pods. */
@WithControlPlane(version = "1.36")
@Tag("slow")
class RandomPolicyIT {

    private static final String NAMESPACE = "random-policies";
    private static final int PODS = 24;
    private static final NamespaceFacts FACTS = new NamespaceFacts(
            Map.of(Names.CPU_TIER, "t1", Names.IMAGE_PULL_SECRETS, "acr"), Map.of(Names.ALL_PODS, "true"));

    @ParameterizedTest
    @ValueSource(longs = {42, 43, 44})
    void policiesDoWhatTheWebhookDoes(long seed, KubernetesClient client) throws JsonProcessingException {
        var trials = new PodTrials(client);
        trials.makeNamespace(NAMESPACE, FACTS);
        var cluster = new RandomCluster(new Random(seed));
        var catalogue = cluster.catalogue();
        var inForce =
                PoliciesInForce.apply(client, yaml(catalogue), catalogue.tiers().keySet());
        try {
            int compared = 0;
            for (int number = 0; number < PODS; number++) {
                var pod = PolicyComparison.admissible(withTier(withoutWishAndGang(cluster.creatablePod())), NAMESPACE);
                try {
                    trials.createUntouched(pod);
                } catch (KubernetesClientException e) {
                    continue; // the API server itself refuses this pod
                }
                new PolicyComparison(trials, catalogue).compare(pod, FACTS);
                compared++;
            }
            assertThat(compared).isGreaterThan(PODS / 2);
        } finally {
            inForce.close();
        }
    }

    /** Removes what policies cannot do: wishes for a kind of GPU, and gangs that start whole. */
    private static ObjectNode withoutWishAndGang(ObjectNode pod) {
        pod.withObject("/metadata/annotations")
                .remove(List.of(Names.GPU_MEMORY, Names.GPU_PRODUCT, Names.GANG, Names.GANG_SIZE));
        return pod;
    }

    /** Adds a tier to pods with a node selector or affinity, because policies choose a default tier without regard to these: PolicyIT. */
    private static ObjectNode withTier(ObjectNode pod) {
        var annotations = pod.withObject("/metadata/annotations");
        if ((pod.path("spec").has("nodeSelector") || pod.path("spec").has("affinity"))
                && !annotations.has(Names.TIER)) {
            annotations.put(Names.TIER, "t0");
        }
        return pod;
    }

    private static String yaml(Catalogue catalogue) throws JsonProcessingException {
        var yaml = new StringBuilder();
        for (var object :
                Policies.of(catalogue, Names.NAMESPACE, GpuNames.DEFAULT).objects()) {
            yaml.append(new YAMLMapper().writeValueAsString(object));
        }
        return yaml.toString();
    }
}
