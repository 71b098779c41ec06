package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.cli.PolicyCommand;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.namespace.FileNamespaces;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * The output of {@code trainyard policy}, active in a real kube-apiserver, compared with the webhook's decisions on the same pods. The limits
 * in {@code docs/policy.md} are those of this test.
 */
@WithControlPlane(version = "1.36")
@Order(3)
class PolicyIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path GOLDEN = ROOT.resolve("webhook/src/test/resources/golden");
    private static final String NAMESPACE = "policies";

    /** Pods that wish for a kind of GPU. Policies cannot match tiers and pools to the wish, so they leave these pods unchanged. */
    private static final Set<String> LEFT_ALONE = Set.of(
            "wish-and-own-node-selector",
            "wish-leaves-pools-out",
            "wish-malformed",
            "wish-memory",
            "wish-no-pool-meets",
            "wish-product",
            "wish-that-the-named-tier-misses");

    /** Policies choose the default tier by the number of GPUs only. The webhook skips tiers that the pod's own selector excludes. */
    private static final Set<String> OF_ANOTHER_TIER =
            Set.of("own-node-selector-of-another-tier", "own-node-selector-of-no-tier");

    /** Pods of gangs that start whole. Policies add no scheduling gate. */
    private static final Set<String> NOT_HELD = Set.of("gang-held");

    private static final String ADDS_A_SIDECAR = """
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicy
            metadata: {name: zz-adds-a-sidecar}
            spec:
              reinvocationPolicy: Never
              failurePolicy: Fail
              matchConstraints:
                namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: policies-sidecar}}
                resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
              mutations:
                - patchType: JSONPatch
                  jsonPatch:
                    expression: >-
                      [JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{
                        name: 'sidecar', image: 'sidecar',
                        resources: Object.spec.containers.resources{limits: {'nvidia.com/gpu': '1'}}}}]
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicyBinding
            metadata: {name: zz-adds-a-sidecar}
            spec: {policyName: zz-adds-a-sidecar}
            """;

    /** The pools and tiers that most golden cases share. */
    @TempDir
    private static Path common;

    private static Path resources = Path.of("");
    private static Catalogue catalogue = Catalogue.EMPTY;
    private static PodTrials trials;

    @Nullable
    private static PoliciesInForce policies;

    @BeforeAll
    static void prepare(KubernetesClient client) throws IOException {
        for (var file : List.of("manifests/examples/pools.yaml", "manifests/examples/tiers.yaml")) {
            Files.copy(ROOT.resolve(file), common.resolve(Path.of(file).getFileName()));
        }
        Files.copy(GOLDEN.resolve("catalogue.yaml"), common.resolve("catalogue.yaml"));
        client.load(new ByteArrayInputStream(GoldenPodsIT.CLASSES.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
        trials = new PodTrials(client);
        trials.makeNamespace(NAMESPACE, NamespaceFacts.NONE);
    }

    /** Activates the policies for the pools and tiers in {@code files}, and no others. */
    private static void putIntoForce(Path files, KubernetesClient client) {
        if (files.equals(resources)) {
            return;
        }
        delete();
        resources = files;
        catalogue = FileConfiguration.of(ResourceFiles.read(files)).current();
        policies = PoliciesInForce.apply(client, printed(), catalogue.tiers().keySet());
    }

    @AfterAll
    static void delete() {
        if (policies != null) {
            policies.close();
        }
        policies = null;
        resources = Path.of("");
    }

    /** Returns the cases with their own pools and tiers last, so that the policies change rarely. */
    static List<GoldenPod> goldenCases() throws IOException {
        return GoldenPod.all()
                .sorted(Comparator.comparing(golden -> !golden.poolsAndTiers().isEmpty()))
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("goldenCases")
    void doesWhatTheWebhookDoes(GoldenPod golden, KubernetesClient client) {
        var before = GOLDEN.resolve(golden.name()).resolve("before.yaml");
        putIntoForce(golden.poolsAndTiers().isEmpty() ? common : before, client);
        var files = ResourceFiles.read(before);
        var written = pod(files);
        var facts = FileNamespaces.of(files)
                .facts(written.path("metadata").path("namespace").asText())
                .orElseThrow();
        var namespace = facts.equals(NamespaceFacts.NONE) ? NAMESPACE : "policies-" + golden.name();
        trials.makeNamespace(namespace, facts);
        var pod = PolicyComparison.admissible(written, namespace);
        var comparison = new PolicyComparison(trials, catalogue);
        if (GoldenPodsIT.INVALID.containsKey(golden.name())) {
            assertThatThrownBy(() -> trials.create(pod)).hasMessageContaining(GoldenPodsIT.INVALID.get(golden.name()));
        } else if (OF_ANOTHER_TIER.contains(golden.name())) {
            assertThat(trials.create(pod)
                            .at("/metadata/annotations/trainyard.dev~1tier")
                            .asText())
                    .isEqualTo("light-gpu");
        } else if (NOT_HELD.contains(golden.name())) {
            assertThat(trials.create(pod).path("spec").has("schedulingGates")).isFalse();
        } else if (LEFT_ALONE.contains(golden.name())) {
            comparison.assertLeftAlone(pod);
        } else {
            comparison.compare(pod, facts);
        }
    }

    /** Paths over, inside, around and beside the driver's mounts, in many spellings. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "usr/lib/nvidia",
                "/usr//lib/./nvidia/",
                "/usr/lib/nvidia/settings",
                "/usr/lib/nvidia-settings",
                "/usr/local",
                "/usr/local/nvidia/bin/../lib",
                "/usr/local/x/../nvidia/y/..",
                "/../usr/lib/a/b/../../../lib/nvidia",
                "/usr/lib/nvidia/../../../..",
                "/usr/lib/...",
                "/data"
            })
    void mountsTheDriverWhereTheWebhookDoes(String path, KubernetesClient client) {
        putIntoForce(common, client);
        var mounted = PoliciesInForce.podOf("heavy-gpu", NAMESPACE);
        mounted.withArray("/spec/volumes").addObject().put("name", "own").putObject("emptyDir");
        mounted.withObject("/spec/containers/0/resources/limits").put("nvidia.com/gpu", "1");
        var device = mounted.deepCopy();
        mounted.withArray("/spec/containers/0/volumeMounts")
                .addObject()
                .put("name", "own")
                .put("mountPath", path);
        var comparison = new PolicyComparison(trials, catalogue);
        comparison.compare(PolicyComparison.admissible(mounted, NAMESPACE), NamespaceFacts.NONE);
        if (path.contains("..")) {
            return; // the API server refuses such a device path, and so does a node
        }
        var ofNode = mounted.deepCopy();
        ofNode.withArray("/spec/volumes")
                .removeAll()
                .addObject()
                .put("name", "own")
                .putObject("hostPath")
                .put("path", path);
        ((ObjectNode) ofNode.at("/spec/containers/0/volumeMounts/0")).put("mountPath", "/data");
        comparison.compare(PolicyComparison.admissible(ofNode, NAMESPACE), NamespaceFacts.NONE);
        ((ObjectNode) device.at("/spec/volumes/0")).remove("emptyDir");
        ((ObjectNode) device.at("/spec/volumes/0"))
                .putObject("persistentVolumeClaim")
                .put("claimName", "own");
        device.withArray("/spec/containers/0/volumeDevices")
                .addObject()
                .put("name", "own")
                .put("devicePath", path);
        comparison.compare(PolicyComparison.admissible(device, NAMESPACE), NamespaceFacts.NONE);
    }

    @Test
    void aWishThatSaysNothingIsNone(KubernetesClient client) {
        putIntoForce(common, client);
        var pod = PoliciesInForce.podOf("light-gpu", NAMESPACE);
        pod.withObject("/metadata/annotations").put(Names.GPU_MEMORY, " ").put(Names.GPU_PRODUCT, "");

        assertThat(PodTrials.annotations(trials.create(pod))).containsKey(Names.INJECTED);
    }

    @Test
    void saysThatItWasAPolicy(KubernetesClient client) {
        putIntoForce(common, client);
        assertThat(PodTrials.annotations(trials.create(PoliciesInForce.podOf("light-gpu", NAMESPACE))))
                .containsEntry(Names.TIER, "light-gpu")
                .containsEntry(Names.INJECTED, "tier light-gpu; completed by a MutatingAdmissionPolicy");
    }

    /** Covers requests without limits, which the API server refuses without the policy. */
    @Test
    void givesRequestsTheirLimits(KubernetesClient client) {
        putIntoForce(common, client);
        var pod = PoliciesInForce.podOf("light-gpu", NAMESPACE);
        pod.withObject("/spec/containers/0/resources/requests").put("nvidia.com/gpu", "1");

        assertThat(trials.create(pod)
                        .at("/spec/containers/0/resources/limits/nvidia.com~1gpu")
                        .asText())
                .isEqualTo("1");
    }

    @Test
    void leavesPodsAloneThatNobodyMayTouch(KubernetesClient client) {
        putIntoForce(common, client);
        trials.makeNamespace(Names.NAMESPACE, NamespaceFacts.NONE);
        var ofDaemonSet = PoliciesInForce.podOf("light-gpu", NAMESPACE);
        ofDaemonSet
                .withArray("/metadata/ownerReferences")
                .addObject()
                .put("apiVersion", "apps/v1")
                .put("kind", "DaemonSet")
                .put("name", "agent")
                .put("uid", "1");
        var mirror = PoliciesInForce.podOf("light-gpu", NAMESPACE);
        mirror.withObject("/metadata/annotations").put("kubernetes.io/config.mirror", "1");
        mirror.withObject("/spec").put("nodeName", "node-1");
        for (var pod : List.of(
                ofDaemonSet,
                mirror,
                PoliciesInForce.podOf("light-gpu", Names.NAMESPACE),
                PoliciesInForce.podOf("no-such-tier", Names.NAMESPACE),
                PoliciesInForce.podOf("light-gpu", "kube-system"))) {
            assertThat(PodTrials.annotations(trials.create(pod))).doesNotContainKey(Names.INJECTED);
        }
    }

    /** Works in either order, because policies are evaluated again after another one changed the pod. */
    @Test
    void completesAContainerThatAnotherPolicyAdds(KubernetesClient client) {
        putIntoForce(common, client);
        trials.makeNamespace("policies-sidecar", NamespaceFacts.NONE);
        var other = client.load(new ByteArrayInputStream(ADDS_A_SIDECAR.getBytes(StandardCharsets.UTF_8)));
        var pod = PoliciesInForce.podOf("light-gpu", "policies-sidecar");
        other.serverSideApply();
        try {
            TrainingGround.awaitTrue(
                    "the sidecar is added",
                    () -> trials.create(pod)
                            .at("/spec/containers/1/name")
                            .asText()
                            .equals("sidecar"));

            assertThat(trials.create(pod).at("/spec/containers/1/env/0/name").asText())
                    .isEqualTo("LD_LIBRARY_PATH");
        } finally {
            other.delete();
        }
    }

    private static ObjectNode pod(ResourceFiles files) {
        return files.documents().stream()
                .map(document -> (ObjectNode) document.object())
                .filter(object -> object.path("kind").asText().equals("Pod"))
                .findFirst()
                .orElseThrow();
    }

    private static String printed() {
        var printed = new StringWriter();
        var remarks = new StringWriter();
        int exitCode = new CommandLine(new PolicyCommand())
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(remarks))
                .execute("--resources", resources.toString());
        assertThat(exitCode).isZero();
        assertThat(remarks.toString()).contains(Names.GPU_MEMORY, Names.GPU_PRODUCT, "left unchanged");
        return printed.toString();
    }
}
