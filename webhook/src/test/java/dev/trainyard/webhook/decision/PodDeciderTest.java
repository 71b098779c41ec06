package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.pod.GpuNames;
import dev.trainyard.webhook.pod.PodRequest;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of cases that the golden tests do not cover. */
class PodDeciderTest {

    private static final Catalogue CATALOGUE = Samples.catalogue();

    @ParameterizedTest
    @ValueSource(strings = {"kube-system", "trainyard-system"})
    void leavesSystemNamespacesAlone(String namespace) {
        var request = new PodRequest(gpuPod(), namespace, NamespaceFacts.NONE);

        assertThat(Samples.DECIDER.decide(request, CATALOGUE))
                .isEqualTo(Untouched.exempt("namespace %s is excluded from all changes".formatted(namespace)));
    }

    @Test
    void prefersEqualPoolsEquallyAndLaterPoolsLess() {
        var tiers = new TreeMap<>(CATALOGUE.tiers());
        tiers.put(
                "equal",
                Tier.of(
                        "equal",
                        Samples.YAML.convertValue(Samples.yaml("""
                                {pools: [heavy-spot, heavy-ondemand, light-spot, light-ondemand],
                                 equallyPreferred: [[heavy-ondemand, light-spot]]}"""), TrainingTierSpec.class),
                        CATALOGUE.pools()));
        var pod = gpuPod();
        pod.withObject("/metadata/annotations").put(Names.TIER, "equal");

        var completed = (Completed)
                Samples.DECIDER.decide(Samples.request(pod), new Catalogue(CATALOGUE.pools(), tiers, List.of()));

        assertThat(Samples.apply(completed.patch(), pod)
                        .at("/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution")
                        .findValues("weight"))
                .extracting(JsonNode::asInt)
                .containsExactly(100, 50, 50, 25);
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
                .isEqualTo(new Untouched(
                        "asks for 1 GPU, but no tier is the default for that number: name a tier in annotation trainyard.dev/tier;"
                                + " no tier has spec.default",
                        List.of("asks for 1 GPU, but no tier is the default for that number: name a tier in "
                                + "annotation trainyard.dev/tier; no tier has...")));
    }

    @Test
    void saysNothingOfASecondDriverWhereNoneIsMounted() {
        var pod = gpuPod();
        pod.withObject("/spec").put("runtimeClassName", "nvidia");
        assertThat(((Completed) decide(pod)).warnings())
                .containsExactly(
                        "runtimeClassName nvidia also provides a driver: the mounted driver is not needed, and versions may conflict");

        ((ObjectNode) pod.at("/spec/containers/0"))
                .putArray("volumeMounts")
                .addObject()
                .put("name", "system")
                .put("mountPath", "/usr");

        assertThat(((Completed) decide(pod)).warnings())
                .isNotEmpty()
                .allSatisfy(warning -> assertThat(warning).endsWith("not mounted"));
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
    void anAliasOfTheAdministratorsIsANameOfTheGpu() {
        var decider = new PodDecider("trainyard-system", GpuNames.with(List.of("example.com/gpu")));
        var pod = Samples.pod("resources: {limits: {example.com/gpu: 2, memory: 1Gi}}");

        var decision = (Completed) decider.decide(Samples.request(pod), Samples.catalogue());

        var resources = Samples.apply(decision.patch(), pod).at("/spec/containers/0/resources");
        assertThat(resources.toString()).isEqualTo("{\"limits\":{\"memory\":\"1Gi\",\"nvidia.com/gpu\":2}}");
        assertThat(decision.tier()).hasValue("heavy-gpu");
        assertThat(decision.warnings())
                .contains("container 'tensorflow' asks for example.com/gpu: replaced with nvidia.com/gpu");
        assertThat(decide(pod).word()).as("unless it is one").isEqualTo("untouched");
    }

    @Test
    void anAliasIsTheNameOfAnExtendedResource() {
        assertThatThrownBy(() -> GpuNames.with(List.of("gpu")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'gpu' is not the name of an extended resource, such as example.com/gpu");
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
        assertThat(decide(Samples.yaml(pod))).isInstanceOf(Malformed.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{containers: [{env: x}]} | spec.containers[0].env has an invalid value: expected a list",
                "{containers: 7} | spec.containers has an invalid value: expected a list",
                "{containers: [7]} | spec.containers[0] has an invalid value: expected an object",
                "{nodeSelector: [a]} | spec.nodeSelector has an invalid value: expected an object",
                "{priority: high} | spec.priority has an invalid value: expected a number",
                "{hostNetwork: [1]} | spec.hostNetwork has an invalid value: expected true or false",
                "{nodeName: {a: b}} | spec.nodeName has an invalid value: expected text",
                "{tolerations: [{key: a}, null]} | spec.tolerations[1] is null: expected a value",
                "{nodeSelector: {a: null}} | spec.nodeSelector.a is null: expected text",
                "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{operator: Exists}]}]}}}}"
                        + " | a requirement of the node affinity lacks its key or its operator",
                "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [null]}}}}"
                        + " | spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                        + ".nodeSelectorTerms[0] is null: expected a value",
            })
    void saysWhichPlaceOfThePodIsWrong(String spec, String problem) {
        var pod = Samples.yaml("{metadata: {annotations: {trainyard.dev/tier: light-gpu}}, spec: %s}".formatted(spec));

        assertThat(decide(pod)).isEqualTo(new Malformed(problem));
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
                : decision instanceof Malformed malformed
                        ? malformed.problem()
                        : ((Completed) decision).patch().toString();
        assertThat(said).contains("xxx").hasSizeLessThan(3000).doesNotContain("x".repeat(301));
        if (!(decision instanceof Malformed)) {
            assertThat(said).contains("...").doesNotContain("x".repeat(101));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/spec/volumes, spec.volumes, 1000",
        "/spec/tolerations, spec.tolerations, 1000",
        "/spec/containers, the pod's containers, 1000",
        "/spec/initContainers, the pod's containers, 1000",
        "/spec/containers/0/env, env of a container, 1000",
        "/spec/containers/0/volumeMounts, volumeMounts of a container, 1000",
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms, terms of the required node affinity, 500",
    })
    void leavesAPodAloneThatIsTooLargeToBeLookedAt(String list, String what, int most) {
        var pod = gpuPod();
        var items = pod.withArray(list);
        for (int index = items.size(); index < most + 1; index++) {
            items.addObject().put("name", "item-" + index);
        }

        assertThat(decide(pod))
                .isEqualTo(new Malformed("%s: more than %d, the limit of the webhook".formatted(what, most)));
    }

    @Test
    void namesTheFirstTooLongListOfAPodInAFixedOrder() {
        var pod = gpuPod();
        for (var list : List.of("imagePullSecrets", "tolerations", "volumes")) {
            for (int index = 0; index < 1001; index++) {
                pod.withArray("/spec/" + list).addObject().put("name", "item-" + index);
            }
        }

        assertThat(decide(pod)).isEqualTo(new Malformed("spec.volumes: more than 1000, the limit of the webhook"));
    }

    @Test
    void leavesAPodAloneThatWouldBeTooLargeOnceCompleted() {
        var pod = gpuPod();
        for (int index = 0; index < 1000; index++) {
            pod.withArray("/spec/tolerations").addObject().put("key", "key-" + index);
        }

        assertThat(decide(pod)).isInstanceOf(Malformed.class);
    }

    @Test
    void theLargestPodThatIsLookedAtIsDecidedLongBeforeTheApiServerGivesUp() {
        var pod = gpuPod();
        var containers = (ArrayNode) pod.at("/spec/containers");
        while (containers.size() < 1000) {
            containers.add(containers.get(0).deepCopy());
        }
        for (int index = 0; index < 990; index++) {
            pod.withArray("/spec/volumes")
                    .addObject()
                    .put("name", "volume-" + index)
                    .putObject("hostPath")
                    .put("path", "/data/" + index);
        }

        // The decision takes a second on a slow machine. Without the webhook's limits, it would take many times longer.
        var decision = assertTimeout(Duration.ofSeconds(10), () -> decide(pod));
        assertThat(decision).isInstanceOf(Completed.class);
    }

    @Test
    void doesNotMultiplyTermsBeyondMeasure() {
        var pod = gpuPod();
        var terms = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
        for (int index = 0; index < 400; index++) {
            var expression = pod.withArray(terms)
                    .addObject()
                    .putArray("matchExpressions")
                    .addObject()
                    .put("key", "rack")
                    .put("operator", "In");
            expression.putArray("values").add("rack-" + index);
        }
        pod.withObject("/metadata/annotations").put("trainyard.dev/tier", "any-gpu");

        var decision = (Completed) decide(pod);

        assertThat(decision.warnings())
                .contains(
                        "no placement: the pod's node affinity, combined with the pools of tier any-gpu, has more than 500 terms");
        assertThat(Samples.apply(decision.patch(), pod).at(terms)).isEqualTo(pod.at(terms));
    }

    @Test
    void leavesTheSummaryOutWhereTheAnnotationsWouldGetTooLong() {
        var pod = gpuPod();
        var annotations = pod.withObject("/metadata/annotations");
        int forTier = "trainyard.dev/tier".length() + "light-gpu".length();
        annotations.put("notes", "x".repeat(262_144 - forTier - "notes".length()));

        var after = Samples.apply(((Completed) decide(pod)).patch(), pod);

        assertThat(after.at("/metadata/annotations").has("trainyard.dev/injected"))
                .isFalse();
        assertThat(after.at("/metadata/annotations/trainyard.dev~1tier").asText())
                .isEqualTo("light-gpu");
        assertThat(decide((ObjectNode) after).word()).isEqualTo("already-complete");

        annotations.put("notes", annotations.path("notes").asText() + "x");
        assertThat(decide(pod))
                .isEqualTo(new Malformed("metadata.annotations: trainyard.dev/tier would make them 262145 bytes long;"
                        + " the API server allows 262144"));
    }

    @Test
    void aPodWhoseTermsMatchNoNodeIsNotPlaced() {
        var pod = gpuPod();
        pod.withObject("/metadata/annotations").put("trainyard.dev/tier", "light-gpu");
        pod.withArray("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms")
                .addObject();

        assertThat(((Completed) decide(pod)).warnings())
                .contains("no placement: the pod's node selector or affinity excludes all pools of tier light-gpu");
    }

    private static ObjectNode gpuPod() {
        return Samples.pod("resources: {limits: {nvidia.com/gpu: 1}}");
    }

    private static Decision decide(ObjectNode pod) {
        return Samples.DECIDER.decide(Samples.request(pod), CATALOGUE);
    }
}
