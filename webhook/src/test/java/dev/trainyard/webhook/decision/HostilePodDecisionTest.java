package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.webhook.checkpoint.AnnotationsFile;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.driver.HostMount;
import dev.trainyard.webhook.pod.PodRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests against an adversary who may only create pods: the webhook must not give them more than an administrator offers. */
class HostilePodDecisionTest {

    private static final Set<String> CONTAINERS = Set.of("containers", "initContainers");

    @Property(tries = 1500, seed = "7")
    void getsNoPathOfANodeButThoseOfTheTiersDriverReadOnlyAndWhereAGpuIsAskedFor(@ForAll Random random) {
        var cluster = new RandomCluster(random);
        var catalogue = cluster.catalogue();
        var pod = cluster.pod();
        if (Samples.DECIDER.decide(Samples.request(pod), catalogue) instanceof Completed completed) {
            var after = (ObjectNode) Samples.apply(completed.patch(), pod);
            var driver = catalogue.tiers().get(completed.tier().orElseThrow()).driver();
            var offered = HostMount.of(driver).stream().map(HostMount::hostPath).toList();
            var authors = names(pod.at("/spec/volumes"));
            for (var volume : after.at("/spec/volumes")) {
                var source = ((ObjectNode) volume.deepCopy()).without("name");
                if (!authors.contains(volume.path("name").asText()) && !source.equals(new AnnotationsFile().source())) {
                    assertThat(volume.at("/hostPath/path").asText()).isIn(offered);
                }
            }
            for (var list : CONTAINERS) {
                for (int index = 0; index < after.at("/spec/" + list).size(); index++) {
                    assertMountsOfOurs(
                            pod.at("/spec/" + list).get(index),
                            after.at("/spec/" + list).get(index));
                }
            }
        }
    }

    private static void assertMountsOfOurs(JsonNode before, JsonNode after) {
        int authors = before.path("volumeMounts").size();
        var mounts = after.path("volumeMounts");
        for (int index = authors; index < mounts.size(); index++) {
            assertThat(mounts.get(index).path("readOnly").asBoolean()).isTrue();
            assertThat(mounts.get(index).has("subPath")).isFalse();
            assertThat(after.at("/resources/limits").has("nvidia.com/gpu")
                            || mounts.get(index).path("mountPath").asText().equals(AnnotationsFile.DIRECTORY))
                    .isTrue();
        }
    }

    /** If the mount named a volume of ours, the mount would get that volume, and writable. */
    @ParameterizedTest
    @ValueSource(strings = {"containers", "initContainers"})
    void cannotMountOurVolumesByGuessingTheirNames(String list) {
        var pod = gpuPod();
        var guesses = List.of("bin", "lib", "libcuda", "trainyard-bin", "trainyard-lib", "trainyard-lib-2");
        var other = pod.withArray("/spec/" + list).addObject().put("name", "other");
        guesses.forEach(name ->
                other.withArray("/volumeMounts").addObject().put("name", name).put("mountPath", "/host/" + name));

        var after = completed(pod);

        assertThat(names(after.at("/spec/volumes"))).isNotEmpty().doesNotContainAnyElementsOf(guesses);
    }

    /** Levels of Pod Security, and words that are not levels. */
    @ParameterizedTest
    @ValueSource(strings = {"baseline", "restricted", "Privileged", "", "none", "privileged "})
    void getsNoPathOfANodeInANamespaceThatMayForbidThem(String level) {
        var facts = new NamespaceFacts(Map.of(), Map.of("pod-security.kubernetes.io/enforce", level));
        for (var tier : List.of("light-gpu", "heavy-gpu", "many-libraries")) {
            var pod = gpuPod();
            annotate(pod, Names.TIER, tier);

            var decision = Samples.DECIDER.decide(new PodRequest(pod, "training", facts), Samples.catalogue());

            assertThat(((Completed) decision).patch().toString()).doesNotContain("hostPath", "volumeMounts");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc",
                "../light-gpu",
                "light-gpu/../heavy-gpu",
                "light-gpu~1",
                "light-gpu\\u0000",
                "trainyard-system/light-gpu",
                "light-gpu,heavy-gpu",
                "{\"pools\":[\"light-spot\"],\"driver\":{\"mode\":\"hostPath\",\"root\":\"/\"}}",
                "wrong",
                "LIGHT-GPU"
            })
    void namesATierThatThereIsOrNone(String tier) {
        var pod = gpuPod();
        annotate(pod, Names.TIER, tier);

        assertThat(decide(pod)).isInstanceOf(Refused.class);
    }

    @Test
    void findsNoAnnotationThatNamesAPathOrADriver() {
        var plain = completed(gpuPod()).path("spec");
        for (var name : List.of("driver", "driver-root", "root", "version", "host-path", "extra-libraries", "pools")) {
            var pod = gpuPod();
            annotate(pod, Names.GROUP + "/" + name, "/etc");

            assertThat(completed(pod).path("spec")).as(name).isEqualTo(plain);
        }
    }

    @Property(tries = 500, seed = "7")
    void getsNoSecretThatThePodDidNotName(@ForAll Random random) {
        var cluster = new RandomCluster(random);
        var catalogue = cluster.catalogue();
        var pod = cluster.pod();
        if (Samples.DECIDER.decide(Samples.request(pod), catalogue) instanceof Completed completed) {
            assertThat(secrets(Samples.apply(completed.patch(), pod))).isEqualTo(secrets(pod));
        }
    }

    /** Only the annotation of a namespace adds Secrets. The same annotation of a pod is ignored. */
    @Test
    void namesNoSecretForPullingImagesWithTheNamespacesAnnotationOnAPod() {
        var pod = gpuPod();
        annotate(pod, Names.IMAGE_PULL_SECRETS, "registry");

        assertThat(completed(pod).at("/spec/imagePullSecrets").isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "other/registry",
                "../other/registry",
                "registry.other.svc/",
                "Registry",
                "a b",
                "-",
                "~1",
                "\"x\""
            })
    void aNamespaceNamesSecretsOfItsOwnOnly(String entry) {
        var facts = new NamespaceFacts(Map.of(Names.IMAGE_PULL_SECRETS, "good," + entry), Map.of());

        var decision = Samples.DECIDER.decide(new PodRequest(gpuPod(), "training", facts), Samples.catalogue());

        assertThat(Samples.apply(((Completed) decision).patch(), gpuPod()).at("/spec/imagePullSecrets"))
                .hasToString("[{\"name\":\"good\"}]");
    }

    /** Names and keys that would change a JSON Pointer if it were built from strings. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "~1spec~1hostNetwork",
                "/spec/hostNetwork",
                "~0~1",
                "..",
                "-",
                "0",
                "",
                "a/b~c",
                "\\",
                "%2f",
                "é\u2028"
            })
    void leadsNoOperationElsewhereByTheNamesInAPod(String name) {
        var pod = gpuPod();
        annotate(pod, name, name);
        annotate(pod, "trainyard.dev~1tier", "heavy-gpu");
        var container = (ObjectNode) pod.at("/spec/containers/0");
        container.put("name", name);
        for (var kind : List.of("limits", "requests")) {
            ((ObjectNode) container.path("resources")).withObject("/" + kind).put(name, "1");
        }
        container.withArray("/env").addObject().put("name", name).put("value", name);
        container.withArray("/volumeMounts").addObject().put("name", name).put("mountPath", "/x");
        pod.withArray("/spec/volumes").addObject().put("name", name).putObject("emptyDir");
        pod.withObject("/spec/nodeSelector").put(name, name);
        pod.withArray("/spec/tolerations").addObject().put("key", name);

        var after = completed(pod); // applied by another library than ours

        assertThat(OurPlaces.cutFrom(after)).isEqualTo(OurPlaces.cutFrom(pod));
        OurPlaces.assertKept(pod, after);
        assertThat(after.at("/metadata/annotations").path(name).asText()).isEqualTo(name);
        assertThat(((Completed) decide(after)).patch()).isEmpty();
    }

    @Test
    void makesNothingOfAMarkThatItIsCompleteAlready() {
        var pod = gpuPod();
        annotate(pod, Names.INJECTED, "tier light-gpu; driver mounted from /");

        assertThat(completed(pod)
                        .at("/metadata/annotations")
                        .path(Names.INJECTED)
                        .asText())
                .startsWith("tier light-gpu; driver mounted from /usr/lib/nvidia-384");
    }

    /** The pod stays as its author wrote it: an author who opts out gets less, never more. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{annotations: {trainyard.dev/inject: 'false'}}",
                "{annotations: {trainyard.dev/inject: 'False ', trainyard.dev/tier: heavy-gpu}}",
                "{annotations: {kubernetes.io/config.mirror: x}}",
                "{ownerReferences: [{kind: DaemonSet, name: a}]}",
            })
    void getsNothingWhereItIsExempt(String metadata) {
        var pod = gpuPod();
        pod.set("metadata", Samples.yaml(metadata));

        assertThat(decide(pod)).isInstanceOf(Untouched.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "trainyard.dev/inject",
                "trainyard.dev/exempt",
                "trainyard.dev/all-pods",
                "admission.trainyard.dev/ignore",
                "pod-security.kubernetes.io/enforce",
                "control-plane"
            })
    void isExemptByNoLabel(String label) {
        var plain = completed(gpuPod()).path("spec");
        for (var value : List.of("false", "true", "disabled", "privileged")) {
            var pod = gpuPod();
            pod.withObject("/metadata/labels").put(label, value);

            assertThat(completed(pod).path("spec")).isEqualTo(plain);
        }
    }

    /** The API server sends such pods to the webhook, because it checks its own limits only after the webhook. */
    @Test
    void costsNoStackByADeepNodeAffinity() {
        var pod = Samples.pod("resources: {limits: {nvidia.com/gpu: 1}}");
        var inner = pod.withObject("/spec/affinity/nodeAffinity");
        for (int depth = 0; depth < 900; depth++) {
            inner = inner.putObject("requiredDuringSchedulingIgnoredDuringExecution");
        }

        assertThat(Samples.DECIDER.decide(Samples.request(pod), Samples.catalogue()))
                .isInstanceOf(Completed.class);
    }

    @Test
    void costsNoTimeByHugeAnnotations() {
        var many = gpuPod();
        for (int index = 0; index < 20_000; index++) {
            annotate(many, "note-" + index, "x".repeat(4));
        }
        var deep = gpuPod();
        annotate(deep, "deep", "[".repeat(200_000));
        annotate(deep, Names.GPU_PRODUCT, "a|".repeat(100_000));
        var long1 = gpuPod();
        annotate(long1, Names.TIER, "x".repeat(1 << 20));
        var long2 = gpuPod();
        annotate(long2, Names.GPU_MEMORY, "9".repeat(1 << 20));

        for (var pod : List.of(many, deep, long1, long2)) {
            // On an idle machine, each decision takes milliseconds.
            var decision = assertTimeout(Duration.ofMinutes(1), () -> decide(pod));
            if (decision instanceof Refused refused) {
                assertThat(refused.message()).hasSizeLessThan(1000);
            }
        }
    }

    /** The API server stores such a quantity. Reading one took four minutes before Trainyard limited the length of quantities. */
    @ParameterizedTest
    @CsvSource({"cpu, limits", "memory, limits", "cpu, requests", "example.com/any, requests"})
    void costsNoTimeByAQuantityOfManyDigits(String resource, String list) {
        var pod = gpuPod();
        pod.withObject("/spec/containers/0/resources/" + list).put(resource, "9".repeat(600_000));

        var decision = assertTimeoutPreemptively(Duration.ofSeconds(20), () -> decide(pod));

        assertThat(((Malformed) decision).problem())
                .startsWith(
                        "container 'tensorflow': resources.%s %s is '99999999999999999999...' (600000 characters); expected"
                                .formatted(list, resource));
    }

    @Test
    void isRefusedANumberOfGpusOfManyDigitsAtOnce() {
        var pod = gpuPod();
        pod.withObject("/spec/containers/0/resources/limits").put("nvidia.com/gpu", "9".repeat(600_000));

        var decision = assertTimeoutPreemptively(Duration.ofSeconds(20), () -> decide(pod));

        assertThat(((Refused) decision).message())
                .contains("resources.limits nvidia.com/gpu is '9999")
                .hasSizeLessThan(1000);
    }

    private static ObjectNode gpuPod() {
        return Samples.pod("resources: {limits: {nvidia.com/gpu: 1}}");
    }

    /** Sets an annotation. The name is no part of a path expression, because slashes in the name would split it. */
    private static void annotate(ObjectNode pod, String name, String value) {
        pod.withObject("/metadata/annotations").put(name, value);
    }

    private static Decision decide(ObjectNode pod) {
        return Samples.DECIDER.decide(Samples.request(pod), Samples.catalogue());
    }

    private static ObjectNode completed(ObjectNode pod) {
        return (ObjectNode) Samples.apply(((Completed) decide(pod)).patch(), pod);
    }

    private static Set<String> names(JsonNode list) {
        var names = new HashSet<String>();
        list.forEach(item -> names.add(item.path("name").asText()));
        return names;
    }

    /** Returns all values by which a pod can name a Secret or a token. */
    private static Set<String> secrets(JsonNode pod) {
        var found = new TreeSet<String>();
        for (var member : List.of(
                "imagePullSecrets",
                "secret",
                "secretRef",
                "secretKeyRef",
                "serviceAccountToken",
                "serviceAccountName",
                "serviceAccount",
                "projected",
                "envFrom")) {
            var values = new ArrayList<JsonNode>(pod.findValues(member));
            values.removeIf(value -> value instanceof ArrayNode list && list.isEmpty());
            values.forEach(value -> found.add(member + value));
        }
        return found;
    }
}
