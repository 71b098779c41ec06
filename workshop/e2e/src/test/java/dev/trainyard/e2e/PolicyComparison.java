package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.pod.GpuNames;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.List;
import java.util.Optional;

/** A comparison of active admission policies with the webhook's decision on the same pod. */
record PolicyComparison(PodTrials trials, Catalogue catalogue) {

    /** Checks that policies and webhook complete the pod equally, and that the policies do not change a completed pod. */
    void compare(ObjectNode pod, NamespaceFacts facts) {
        var received = trials.createUntouched(pod);
        var decision = decide(received, facts);
        if (decision instanceof Refused refused) {
            assertThatThrownBy(() -> trials.create(pod))
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining(refused.message());
            return;
        }

        var completed = trials.create(pod);

        assertSame(completed, trials.createUntouched(patched(received, decision)));
        assertSame(trials.create(completed), completed);
    }

    /** Checks that the API server admits {@code pod} as if there were no policies. */
    void assertLeftAlone(ObjectNode pod) {
        assertThat(PodTrials.annotations(pod)).doesNotContainKey(Names.INJECTED);
        assertSame(trials.create(pod), trials.createUntouched(pod));
    }

    Decision decide(ObjectNode pod, NamespaceFacts facts) {
        var namespace = pod.path("metadata").path("namespace").asText();
        return new PodDecider(Names.NAMESPACE, GpuNames.DEFAULT).decide(pod, namespace, Optional.of(facts), catalogue);
    }

    /** Compares all but the text of {@link Names#INJECTED}: a policy cannot report actions that it did not take. */
    private static void assertSame(ObjectNode one, ObjectNode other) {
        assertThat(one.path("spec").toPrettyString())
                .isEqualTo(other.path("spec").toPrettyString());
        var annotations = PodTrials.annotations(one);
        var others = PodTrials.annotations(other);
        annotations.computeIfPresent(Names.INJECTED, (name, text) -> "some text");
        others.computeIfPresent(Names.INJECTED, (name, text) -> "some text");
        assertThat(annotations).isEqualTo(others);
    }

    private static ObjectNode patched(ObjectNode pod, Decision decision) {
        return decision instanceof Completed completed
                ? (ObjectNode) JsonPatch.apply(completed.patch().deepCopy(), pod.deepCopy())
                : pod;
    }

    /** Returns the pod with all fields that any namespace requires, and without values that differ with each creation. */
    static ObjectNode admissible(ObjectNode pod, String namespace) {
        var copy = pod.deepCopy();
        copy.withObject("/metadata").put("namespace", namespace);
        var spec = (ObjectNode) copy.get("spec");
        spec.put("automountServiceAccountToken", false);
        boolean ofLinux = !spec.at("/os/name").asText().equals("windows"); // Windows has none of these settings
        if (ofLinux) {
            spec.putObject("securityContext")
                    .put("runAsNonRoot", true)
                    .putObject("seccompProfile")
                    .put("type", "RuntimeDefault");
        }
        for (var list : List.of("containers", "initContainers")) {
            for (JsonNode item : spec.path(list)) {
                var container = ((ObjectNode) item).put("image", "train");
                if (ofLinux) {
                    container
                            .putObject("securityContext")
                            .put("allowPrivilegeEscalation", false)
                            .putObject("capabilities")
                            .putArray("drop")
                            .add("ALL");
                }
            }
        }
        return copy;
    }
}
