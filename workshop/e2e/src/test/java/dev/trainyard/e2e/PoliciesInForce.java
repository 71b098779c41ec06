package dev.trainyard.e2e;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Admission policies that are active in an API server until this object is closed. */
record PoliciesInForce(KubernetesClient client, List<HasMetadata> objects, Collection<String> tiers)
        implements AutoCloseable {

    private static final String NO_TIER = "no-such-tier";

    /** The namespace for trial pods. */
    private static final String NAMESPACE = "policies-in-force";

    private static final NamespaceFacts FACTS =
            new NamespaceFacts(Map.of(Names.IMAGE_PULL_SECRETS, "registry"), Map.of(Names.ALL_PODS, "true"));

    /**
     * Applies policies, and waits until the API server enforces them, which takes some time. These are the policies of all {@code tiers},
     * the policy for all pods, and the policy that refuses pods.
     */
    static PoliciesInForce apply(KubernetesClient client, String yaml, Collection<String> tiers) {
        new PodTrials(client).makeNamespace(NAMESPACE, FACTS);
        var objects = client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
        var inForce = new PoliciesInForce(client, objects, tiers);
        for (var tier : tiers) {
            TrainingGround.awaitTrue(
                    "the policy of tier %s is in force".formatted(tier), () -> inForce.completes(tier));
        }
        TrainingGround.awaitTrue("the policy for all pods is in force", inForce::completesAllPods);
        TrainingGround.awaitTrue("an unknown tier is refused", inForce::refuses);
        return inForce;
    }

    @Override
    public void close() {
        client.resourceList(objects).delete();
        for (var tier : tiers) {
            TrainingGround.awaitTrue("the policy of tier %s is gone".formatted(tier), () -> !completes(tier));
        }
        TrainingGround.awaitTrue("the policy for all pods is gone", () -> !completesAllPods());
        TrainingGround.awaitTrue("nothing is refused any more", () -> !refuses());
    }

    private boolean completes(String tier) {
        return isCompleted(podOf(tier, NAMESPACE));
    }

    private boolean completesAllPods() {
        return isCompleted(podOf("", NAMESPACE));
    }

    private boolean isCompleted(ObjectNode pod) {
        return PodTrials.annotations(new PodTrials(client).create(pod)).containsKey(Names.INJECTED);
    }

    private boolean refuses() {
        try {
            new PodTrials(client).create(podOf(NO_TIER, NAMESPACE));
            return false;
        } catch (KubernetesClientException e) {
            return true;
        }
    }

    /** Returns a pod that requests nothing and names {@code tier} in its annotation. An empty text names no tier. */
    static ObjectNode podOf(String tier, String namespace) {
        var pod = JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Pod");
        var metadata = pod.putObject("metadata").put("generateName", "train-").put("namespace", namespace);
        metadata.putObject("annotations").put(Names.TIER, tier);
        pod.putObject("spec")
                .put("automountServiceAccountToken", false)
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "train");
        return pod;
    }
}
