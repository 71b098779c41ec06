package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.pod.PodRequest;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the manual work that teams did from 2017 to 2019 to train on Kubernetes, and that the webhook does now. Each class is one of the
 * stories that this project started from, and each test is one manual step. The pools and tiers are those of {@code manifests/examples}.
 */
class SeedFeaturesTest {

    private static final Catalogue CATALOGUE = Samples.catalogue();

    /** Azure, acs-engine: an autoscaler of its own and driver mounts in every manifest. */
    @Nested
    @DisplayName("acs-engine, 2017")
    class AcsEngine {

        @ParameterizedTest(name = "{0}")
        @DisplayName("trainings last seconds or days: the marks that keep a running one's machine stay as they are")
        @ValueSource(
                strings = {
                    "{name: bare}",
                    "{labels: {openai/do-not-drain: \"true\"}}",
                    "{annotations: {trainyard.dev/do-not-disrupt: \"true\"}}",
                    "{annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\"}}",
                    "{annotations: {karpenter.sh/do-not-disrupt: \"true\"}}",
                    "{ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: u}]}"
                })
        void keepsTheMarksOfTrainingsThatMustNotBeInterrupted(String metadata) {
            var pod = gpuPod("requests: {nvidia.com/gpu: 1}");
            pod.set("metadata", Samples.yaml(metadata));

            var after = completed(pod);

            var left = ((ObjectNode) after.path("metadata")).deepCopy();
            if (left.path("annotations") instanceof ObjectNode annotations) {
                annotations.remove(List.of(Names.TIER, Names.INJECTED));
                if (annotations.isEmpty()) {
                    left.remove("annotations");
                }
            }
            assertThat(left).isEqualTo(pod.path("metadata"));
        }

        @Test
        @DisplayName("do not pay for GPUs unless needed: CPU pods are not sent to GPU machines, GPU pods to no others")
        void sendsOnlyPodsWithGpusToMachinesWithGpus() {
            assertThat(decide(Samples.pod("resources: {requests: {cpu: 1}}"))).isInstanceOf(Untouched.class);

            var spark = Samples.pod("resources: {requests: {cpu: 1}}");
            spark.withObject("/metadata/annotations").put(Names.TIER, "cpu");
            assertThat(requiredLabels(completed(spark))).containsExactly("general=true");
            assertThat(completed(spark).at("/spec/tolerations")).isEmpty();

            var tensorflow = completed(gpuPod("limits: {nvidia.com/gpu: 1}"));
            assertThat(requiredLabels(tensorflow)).contains("gpu=true");
        }

        @Test
        @DisplayName("the driver is in /usr/lib/nvidia-384, the version varies: one setting moves both paths")
        void rule32_bothPathsFollowTheVersion() {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");

            assertThat(hostPaths(completed(pod, driver("{mode: hostPath}"))))
                    .startsWith("/usr/lib/nvidia-384/bin", "/usr/lib/nvidia-384");
            assertThat(hostPaths(completed(pod, driver("{mode: hostPath, version: \"390\"}"))))
                    .startsWith("/usr/lib/nvidia-390/bin", "/usr/lib/nvidia-390");
        }

        @Test
        @DisplayName("three mounts: bin, lib and libcuda, in each container with a GPU, read-only")
        void mountsTheThreePartsOfTheDriver() {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            ((ObjectNode) pod.path("spec")).withArray("containers").addObject().put("name", "no-gpu");

            var after = completed(pod);

            assertThat(after.at("/spec/volumes")).isEqualTo(Samples.yaml("""
                    volumes:
                      - {name: bin, hostPath: {path: /usr/lib/nvidia-384/bin, type: Directory}}
                      - {name: lib, hostPath: {path: /usr/lib/nvidia-384, type: Directory}}
                      - {name: libcuda, hostPath: {path: /usr/lib/x86_64-linux-gnu/libcuda.so.1, type: File}}
                    """).path("volumes"));
            assertThat(after.at("/spec/containers/0/volumeMounts"))
                    .isEqualTo(Samples.yaml("""
                    mounts:
                      - {name: bin, mountPath: /usr/local/nvidia/bin, readOnly: true}
                      - {name: lib, mountPath: /usr/lib/nvidia, readOnly: true}
                      - {name: libcuda, mountPath: /usr/lib/x86_64-linux-gnu/libcuda.so.1, readOnly: true}
                    """).path("mounts"));
            assertThat(after.at("/spec/containers/1").properties()).hasSize(1);
            assertThat(decide(after).word()).isEqualTo("already-complete");
        }

        @Test
        @DisplayName("three mounts: the author's volumes of the same names are not clobbered")
        void leavesVolumesOfTheSameNamesAlone() {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            var volumes = ((ObjectNode) pod.path("spec")).withArray("volumes");
            for (var name : List.of("bin", "lib", "libcuda")) {
                volumes.addObject().put("name", name).putObject("emptyDir");
            }

            var after = completed(pod);

            assertThat(texts(after.at("/spec/volumes"), "/name"))
                    .containsExactly("bin", "lib", "libcuda", "trainyard-bin", "trainyard-lib", "trainyard-libcuda");
            assertThat(texts(after.at("/spec/containers/0/volumeMounts"), "/name"))
                    .containsExactly("trainyard-bin", "trainyard-lib", "trainyard-libcuda");
        }

        @ParameterizedTest(name = "{0}")
        @DisplayName("LD_LIBRARY_PATH: set to both directories, or these put before the author's, once")
        @ValueSource(
                strings = {
                    " -> /usr/lib/nvidia:/usr/lib/x86_64-linux-gnu",
                    "/opt/lib -> /usr/lib/nvidia:/usr/lib/x86_64-linux-gnu:/opt/lib",
                    "/opt/lib:/usr/lib/nvidia -> /usr/lib/x86_64-linux-gnu:/opt/lib:/usr/lib/nvidia",
                    "/usr/lib/nvidia:/usr/lib/x86_64-linux-gnu -> /usr/lib/nvidia:/usr/lib/x86_64-linux-gnu"
                })
        void setsTheLibraryPath(String beforeAndAfter) {
            var values = beforeAndAfter.split(" -> ", -1);
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            if (!values[0].isEmpty()) {
                ((ObjectNode) pod.at("/spec/containers/0"))
                        .withArray("env")
                        .addObject()
                        .put("name", "LD_LIBRARY_PATH")
                        .put("value", values[0]);
            }

            var after = completed(pod);

            assertThat(after.at("/spec/containers/0/env")).hasSize(1);
            assertThat(after.at("/spec/containers/0/env/0/name").asText()).isEqualTo("LD_LIBRARY_PATH");
            assertThat(after.at("/spec/containers/0/env/0/value").asText()).isEqualTo(values[1]);
            assertThat(decide(after).word()).isEqualTo("already-complete");
        }

        @Test
        @DisplayName(
                "GPUs asked for as alpha.kubernetes.io/nvidia-gpu, under requests: today's name, limits equal to requests")
        void renamesTheGpuOf2017() {
            var resources = completed(gpuPod("requests: {cpu: 1, alpha.kubernetes.io/nvidia-gpu: 1}"))
                    .at("/spec/containers/0/resources");

            assertThat(resources)
                    .isEqualTo(Samples.yaml("{requests: {cpu: 1, nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 1}}"));
        }

        @ParameterizedTest
        @DisplayName("GPUs asked for as alpha.kubernetes.io/nvidia-gpu: a part of one, or fewer than none, is refused")
        @ValueSource(strings = {"0.5", "500m", "-1"})
        void refusesWhatIsNoNumberOfGpus(String gpus) {
            assertThat(decide(gpuPod("requests: {alpha.kubernetes.io/nvidia-gpu: %s}".formatted(gpus))))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused -> assertThat(refused.message())
                                    .contains("requests alpha.kubernetes.io/nvidia-gpu is '%s'".formatted(gpus))
                                    .contains("expected a whole number"));
        }

        @Test
        @DisplayName("further libraries need mounts of their own: one file mount for each that the tier names")
        void mountsFurtherLibraries() {
            var libraries = List.of("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "/opt/cupti/libcupti.so");
            var catalogue = driver("{mode: hostPath, extraLibraries: [%s]}".formatted(String.join(", ", libraries)));

            var after = completed(gpuPod("limits: {nvidia.com/gpu: 1}"), catalogue);

            assertThat(hostPaths(after)).hasSize(5).endsWith(libraries.toArray(String[]::new));
            assertThat(texts(after.at("/spec/volumes"), "/hostPath/type")).endsWith("File", "File", "File");
            assertThat(texts(after.at("/spec/containers/0/volumeMounts"), "/mountPath"))
                    .hasSize(5)
                    .endsWith(libraries.toArray(String[]::new));
        }
    }

    /** Azure, aks-engine: GPUs by device plugin, low-priority machines, labels and selectors by hand. */
    @Nested
    @DisplayName("aks-engine, 2019")
    class AksEngine {

        @Test
        @DisplayName("NVIDIA's DaemonSet brings the driver: no mounts then, only the resource is put right; by tier")
        void rule32_mountsNothingWhereADevicePluginBringsTheDriver() {
            var pod = gpuPod("requests: {alpha.kubernetes.io/nvidia-gpu: 1}");

            var plugin = completed(pod, driver("{mode: none}"));
            assertThat(plugin.at("/spec/volumes")).isEmpty();
            assertThat(plugin.at("/spec/containers/0")).isEqualTo(Samples.yaml("""
                    name: tensorflow
                    resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 1}}
                    """));

            assertThat(completed(pod, driver("{mode: hostPath}")).at("/spec/volumes"))
                    .hasSize(3);
        }

        @Test
        @DisplayName("GPU work on low priority, general work on demand: the one prefers spot, the other is not let in")
        void onlyTrainingsOfASpotTierTolerateSpot() {
            var spot = "kubernetes.azure.com/scalesetpriority";

            assertThat(texts(completed(gpuPod("limits: {nvidia.com/gpu: 1}")).at("/spec/tolerations"), "/key"))
                    .contains(spot);

            var general = Samples.pod("resources: {requests: {cpu: 1}}");
            general.withObject("/metadata/annotations").put(Names.TIER, "cpu");
            assertThat(completed(general).at("/spec").toString()).doesNotContain(spot);
            assertThat(decide(Samples.pod("resources: {requests: {cpu: 1}}"))).isInstanceOf(Untouched.class);
        }

        @Test
        @DisplayName("low priority may not be had: spot preferred, on-demand less so, and nothing excludes on-demand")
        void prefersSpotAndAllowsOnDemand() {
            var after = completed(gpuPod("limits: {nvidia.com/gpu: 1}"));

            var preferred = after.at("/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution");
            assertThat(preferred.at("/0/preference").toString()).contains("scalesetpriority");
            assertThat(preferred.at("/1/preference").toString()).doesNotContain("scalesetpriority");
            assertThat(preferred.at("/0/weight").asInt())
                    .isGreaterThan(preferred.at("/1/weight").asInt());
            assertThat(requiredLabels(after)).containsExactly("accelerator=k80", "gpu=true");
        }

        // A pod without GPUs gets general=true only if its namespace asks for it.
        @Test
        @DisplayName("node selector gpu: \"true\": a GPU pod without one is sent there all the same")
        void sendsGpuPodsToGpuNodes() {
            assertThat(requiredLabels(completed(gpuPod("limits: {nvidia.com/gpu: 1}"))))
                    .contains("gpu=true");
        }

        @Test
        @DisplayName("node selector gpu: \"true\": what the author selects is kept and wins")
        void keepsTheAuthorsSelector() {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            pod.withObject("/spec/nodeSelector").put("gpu", "true").put("accelerator", "k80");
            var after = completed(pod);
            assertThat(after.at("/spec/nodeSelector")).isEqualTo(pod.at("/spec/nodeSelector"));
            assertThat(requiredLabels(after)).as("all is said by the selector").isEmpty();

            pod.withObject("/spec/nodeSelector").put("gpu", "false");
            assertThat(((Completed) decide(pod)).tier())
                    .as("one that has a pool whose nodes may be so")
                    .hasValue("big");

            pod.withObject("/metadata/annotations").put(Names.TIER, "light-gpu");
            after = completed(pod);
            assertThat(after.at("/spec/nodeSelector")).isEqualTo(pod.at("/spec/nodeSelector"));
            assertThat(requiredLabels(after)).isEmpty();
            assertThat(((Completed) decide(pod)).warnings())
                    .contains("no placement: the pod's node selector or affinity excludes all pools of tier light-gpu");
        }

        @ParameterizedTest
        @DisplayName(
                "node selector gpu: \"true\": typographic quotes, copied from a page, are reported with their place")
        @ValueSource(strings = {"\u201ctrue\u201d", "\u201etrue\u201c", "\u2018true\u2019"})
        void reportsTypographicQuotes(String value) {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            pod.withObject("/spec/nodeSelector").put("gpu", value);

            assertThat(((Completed) decide(pod)).warnings())
                    .contains(
                            "typographic quotes in spec.nodeSelector.gpu: %s; expected plain quotes".formatted(value));
        }

        @Test
        @DisplayName("node selector gpu: \"true\": typographic quotes in an affinity are reported with their place too")
        void reportsTypographicQuotesInAnAffinity() {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            pod.withObject("/spec").set("affinity", Samples.yaml("""
                            nodeAffinity:
                              preferredDuringSchedulingIgnoredDuringExecution:
                                - weight: 1
                                  preference: {matchExpressions: [{key: gpu, operator: In, values: [\u201ctrue\u201d]}]}
                            """));

            assertThat(((Completed) decide(pod)).patch().toString())
                    .contains(
                            "preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]:");
        }

        @Test
        @DisplayName(
                "node selector general: \"true\": a pod without GPUs is kept to general machines where its namespace wants it")
        void keepsGeneralPodsToGeneralMachinesWhereTheNamespaceWantsIt() {
            var web = Samples.pod("image: nginx");
            var wants = new NamespaceFacts(Map.of(Names.CPU_TIER, "cpu"), Map.of(Names.ALL_PODS, "true"));

            assertThat(requiredLabels(completed(web, wants))).containsExactly("general=true");
            assertThat(decide(web)).isInstanceOf(Untouched.class);
        }

        @Test
        @DisplayName(
                "acr-auth in every deployment: named once in each pod of a namespace that says so, and nowhere else")
        void namesTheSecretForPullingImages() {
            var says = new NamespaceFacts(Map.of(Names.IMAGE_PULL_SECRETS, "acr-auth"), Map.of(Names.ALL_PODS, "true"));
            var wanted = Samples.yaml("{secrets: [{name: acr-auth}]}").path("secrets");

            for (var pod : List.of(gpuPod("limits: {nvidia.com/gpu: 1}"), Samples.pod("image: nginx"))) {
                var after = completed(pod, says);

                assertThat(after.at("/spec/imagePullSecrets")).isEqualTo(wanted);
                assertThat(completed(after, says)).isEqualTo(after);
            }
            assertThat(completed(gpuPod("limits: {nvidia.com/gpu: 1}")).at("/spec/imagePullSecrets"))
                    .isEmpty();
        }
    }

    /** AWS, kops: an autoscaler in the cluster that it scales, and a first test with a burst of pods. */
    @Nested
    @DisplayName("kops, 2017")
    class Kops {

        @Test
        @DisplayName(
                "the autoscaler keeps itself off GPU machines: its own namespace is left alone, so it never waits for itself")
        void leavesItsOwnNamespaceAlone() {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            pod.withObject("/spec").set("affinity", Samples.yaml("""
                            nodeAffinity:
                              requiredDuringSchedulingIgnoredDuringExecution:
                                nodeSelectorTerms:
                                  - matchExpressions: [{key: gpu, operator: NotIn, values: ["true"]}]
                            """));

            assertThat(Samples.DECIDER.decide(new PodRequest(pod, "trainyard-system", NamespaceFacts.NONE), CATALOGUE))
                    .isInstanceOf(Untouched.class);
        }

        @Test
        @DisplayName("label openai/do-not-drain: \"true\": not touched, on a pod of ours or not")
        void keepsDoNotDrain() {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            pod.withObject("/metadata/labels").put("openai/do-not-drain", "true");

            assertThat(completed(pod).at("/metadata/labels")).isEqualTo(pod.at("/metadata/labels"));
            assertThat(((Completed) decide(pod)).patch())
                    .noneMatch(operation -> operation.path("path").asText().startsWith("/metadata/labels"));
        }

        @ParameterizedTest
        @DisplayName("unquoted gpu: true, which the API server rejects: said which field, and how to write it")
        @ValueSource(strings = {"true", "1"})
        void explainsWhyTheApiServerRejectsAnUnquotedValue(String value) {
            var pod = gpuPod("limits: {nvidia.com/gpu: 1}");
            pod.withObject("/spec").set("nodeSelector", Samples.yaml("{gpu: %s}".formatted(value)));

            assertThat(decide(pod))
                    .isInstanceOfSatisfying(
                            Malformed.class,
                            malformed -> assertThat(malformed.problem())
                                    .isEqualTo(
                                            "spec.nodeSelector gpu is %s, which is not text, so the API server rejects the"
                                                    + " pod: write gpu: \"%s\"; see docs/troubleshooting.md#selector-is-no-text",
                                            value, value));
        }
    }

    private static ObjectNode gpuPod(String resources) {
        return Samples.pod("resources: {%s}".formatted(resources));
    }

    /** Returns a pool of single GPUs, and a tier with that driver for all pods that ask for GPUs. */
    private static Catalogue driver(String driver) {
        var pool = Samples.yaml("""
                kind: TrainingPool
                metadata: {name: gpus}
                spec:
                  provider: {kwok: {}}
                  capacityType: on-demand
                  promise: {labels: {gpu: "true"}, allocatable: {nvidia.com/gpu: "1"}}
                """);
        var tier = Samples.yaml("""
                kind: TrainingTier
                metadata: {name: gpus}
                spec: {pools: [gpus], default: {gpus: {}}, driver: %s}
                """.formatted(driver));
        var files = List.of(new ResourceFiles.Document("pool", pool), new ResourceFiles.Document("tier", tier));
        return FileConfiguration.of(new ResourceFiles(files)).current();
    }

    private static Decision decide(ObjectNode pod) {
        return Samples.DECIDER.decide(Samples.request(pod), CATALOGUE);
    }

    private static ObjectNode completed(ObjectNode pod) {
        return completed(pod, CATALOGUE);
    }

    private static ObjectNode completed(ObjectNode pod, Catalogue catalogue) {
        return completed(Samples.request(pod), catalogue);
    }

    private static ObjectNode completed(ObjectNode pod, NamespaceFacts facts) {
        return completed(new PodRequest(pod, "team", facts), CATALOGUE);
    }

    private static ObjectNode completed(PodRequest request, Catalogue catalogue) {
        var decision = Samples.DECIDER.decide(request, catalogue);
        assertThat(decision).isInstanceOf(Completed.class);
        return (ObjectNode) Samples.apply(((Completed) decision).patch(), request.pod());
    }

    private static List<String> hostPaths(JsonNode pod) {
        return texts(pod.at("/spec/volumes"), "/hostPath/path");
    }

    private static List<String> texts(JsonNode list, String pointer) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(item -> item.at(pointer).asText())
                .toList();
    }

    /** Returns the demands of the only required node selector term, as {@code key=value}; empty if there is none. */
    private static List<String> requiredLabels(JsonNode pod) {
        var required = pod.at("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
        assertThat(required.path("nodeSelectorTerms").size()).isLessThanOrEqualTo(1);
        return StreamSupport.stream(
                        required.at("/nodeSelectorTerms/0/matchExpressions").spliterator(), false)
                .map(expression -> expression.path("key").asText() + "="
                        + expression.at("/values/0").asText())
                .toList();
    }
}
