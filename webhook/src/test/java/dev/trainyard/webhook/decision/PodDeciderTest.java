package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.namespace.NamespaceFacts;
import dev.trainyard.webhook.pod.PodRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the golden pairs do not show. */
class PodDeciderTest {

    private static final Catalogue CATALOGUE = Samples.catalogue();

    @ParameterizedTest
    @ValueSource(strings = {"kube-system", "trainyard-system"})
    void leavesSystemNamespacesAlone(String namespace) {
        var request = new PodRequest(gpuPod(), namespace, NamespaceFacts.NONE);

        assertThat(Samples.DECIDER.decide(request, CATALOGUE))
                .isEqualTo(new Untouched("namespace %s is left alone".formatted(namespace), List.of()));
    }

    @Test
    void leavesMirrorPodsAlone() {
        var pod = gpuPod();
        pod.withObject("/metadata/annotations").put("kubernetes.io/config.mirror", "x");

        assertThat(decide(pod).word()).isEqualTo("untouched");
    }

    @Test
    void leavesPodsOfDaemonSetsAlone() {
        var pod = gpuPod();
        pod.withObject("/metadata").putArray("ownerReferences").addObject().put("kind", "DaemonSet");

        assertThat(decide(pod).word()).isEqualTo("untouched");
    }

    @Test
    void anythingButFalseIsNoOptOut() {
        var pod = gpuPod();
        pod.withObject("/metadata/annotations").put("trainyard.dev/inject", "no");

        assertThat(decide(pod)).isInstanceOf(Completed.class);
    }

    @Test
    void warnsWhenNoDefaultTierFits() {
        var decision = Samples.DECIDER.decide(Samples.request(gpuPod()), Catalogue.EMPTY);

        assertThat(decision)
                .isEqualTo(
                        new Untouched(
                                "asks for 1 GPU, no default tier is for that; no tier is a default; annotate it with trainyard.dev/tier",
                                List.of(
                                        "asks for 1 GPU, no default tier is for that; no tier is a default; annotate it with trainyard.dev/tier")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.5", "500m", "1.5", "-2", "many", "\"\"", "2000000", "[1]"})
    void refusesWhatIsNoNumberOfGpus(String value) {
        var decision = decide(Samples.pod("resources: {limits: {nvidia.com/gpu: %s}}".formatted(value)));

        assertThat(decision).isInstanceOf(Refused.class);
        assertThat(((Refused) decision).message())
                .contains("container 'tensorflow'", "resources.limits nvidia.com/gpu", "expected a whole number");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "\"1\"", "1.0", "1000m", "\"1\""})
    void takesAnySpellingOfAWholeNumber(String value) {
        assertThat(decide(Samples.pod("resources: {requests: {nvidia.com/gpu: %s}}".formatted(value))))
                .isInstanceOf(Completed.class);
    }

    @Test
    void refusesAnOldAndANewNameThatDisagree() {
        var decision = decide(
                Samples.pod("resources: {limits: {nvidia.com/gpu: 1}, requests: {alpha.kubernetes.io/nvidia-gpu: 2}}"));

        assertThat(((Refused) decision).message())
                .isEqualTo("container 'tensorflow': resources.limits nvidia.com/gpu is 1, but resources.requests"
                        + " alpha.kubernetes.io/nvidia-gpu is 2; expected one number: GPUs cannot be overcommitted, so"
                        + " requests and limits must be equal");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{kind: Pod}",
                "{kind: Pod, metadata: {annotations: {trainyard.dev/tier: light-gpu}}}",
                "{metadata: {annotations: {trainyard.dev/tier: light-gpu}}, spec: {containers: 7, tolerations: {a: b}}}",
                "{metadata: {annotations: {trainyard.dev/tier: light-gpu}}, spec: [1]}",
                "{metadata: [], spec: {containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]}}"
            })
    void aPodThatCannotBeUnderstoodIsNotTouchedAndIsNoException(String pod) {
        assertThat(decide(Samples.yaml(pod))).isInstanceOf(Failed.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{containers: [{env: x}]} | spec.containers[0].env is not what a pod may have there: expected a list",
                "{containers: 7} | spec.containers is not what a pod may have there: expected a list",
                "{containers: [7]} | spec.containers[0] is not what a pod may have there: expected an object",
                "{nodeSelector: [a]} | spec.nodeSelector is not what a pod may have there: expected an object",
                "{priority: high} | spec.priority is not what a pod may have there: expected a number",
                "{hostNetwork: [1]} | spec.hostNetwork is not what a pod may have there: expected true or false",
                "{nodeName: {a: b}} | spec.nodeName is not what a pod may have there: expected text",
                "{tolerations: [{key: a}, null]} | spec.tolerations[1] is null: expected a value",
                "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [null]}}}}"
                        + " | spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                        + ".nodeSelectorTerms[0] is null: expected a value",
            })
    void saysWhichPlaceOfThePodIsWrong(String spec, String problem) {
        var pod = Samples.yaml("{metadata: {annotations: {trainyard.dev/tier: light-gpu}}, spec: %s}".formatted(spec));

        assertThat(decide(pod)).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.problem()).isEqualTo(problem);
            assertThat(failed.fault()).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{metadata: {annotations: {trainyard.dev/tier: LONG}}, spec: {containers: [{name: a}]}}",
                "{spec: {containers: [{name: LONG, resources: {limits: {nvidia.com/gpu: 0.5}}}]}}",
                "{spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: LONG}}}]}}",
                "{spec: {containers: [{name: a, resources: {limits: {cpu: LONG, nvidia.com/gpu: 1}}}]}}",
                "{spec: {nodeName: LONG, containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}",
                "{spec: {schedulerName: LONG, containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}",
                "{spec: {nodeSelector: {LONG: [1]}, containers: [{name: a}]}}",
            })
    void repeatsAtMostTheBeginningOfWhatAUserWrote(String pod) {
        var written = "x".repeat(1000);

        var decision = decide(Samples.yaml(pod.replace("LONG", written)));

        var said = decision instanceof Refused refused
                ? refused.message()
                : decision instanceof Failed failed
                        ? failed.problem()
                        : ((Completed) decision).patch().toString();
        assertThat(said).contains("xxx").hasSizeLessThan(3000).doesNotContain("x".repeat(301));
        if (!(decision instanceof Failed)) {
            assertThat(said).contains("...").doesNotContain("x".repeat(101));
        }
    }

    private static ObjectNode gpuPod() {
        return Samples.pod("resources: {limits: {nvidia.com/gpu: 1}}");
    }

    private static Decision decide(ObjectNode pod) {
        return Samples.DECIDER.decide(Samples.request(pod), CATALOGUE);
    }
}
