package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The oldest Kubernetes version that Trainyard supports: everything that depends on the version of the API server, kubectl and kustomize.
 * Each test runs a part of the class that tests the same on the current version in full.
 */
@WithControlPlane(version = "1.32")
@Tag("versions")
@ResourceLock(WithControlPlane.CLUSTER)
class OldestKubernetesIT {

    /** The interval of the sample: one golden pod in five. */
    private static final int SAMPLE = 5;

    @ParameterizedTest
    @MethodSource("dev.trainyard.e2e.ManifestsIT#kustomizations")
    void kustomizationsAreAccepted(String kustomization, ControlPlane controlPlane, KubernetesClient client)
            throws IOException {
        new ManifestsIT().isTakenByTheApiServerAsItIs(kustomization, controlPlane, client);
    }

    @Test
    void examplesAreAccepted(ControlPlane controlPlane, KubernetesClient client, Namespace namespace)
            throws IOException {
        new ManifestsIT().examplesAreTakenByTheApiServerAsTheyAre(controlPlane, client, namespace);
    }

    @ParameterizedTest
    @MethodSource("dev.trainyard.e2e.ManifestsIT#kustomizations")
    void podsAreConfined(
            String kustomization, ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        new ManifestsIT().podsAreConfinedAsTheNamespaceDemands(kustomization, controlPlane, client, namespace);
    }

    @Test
    void goldenPodsAreStoredAsOnTheCurrentVersion(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        GoldenPodsIT.start(controlPlane, client);
        try {
            var golden = GoldenPodsIT.goldenPods();
            for (int index = 0; index < golden.size(); index += SAMPLE) {
                GoldenPodsIT.assertStoredAndTold(golden.get(index), client);
            }
        } finally {
            GoldenPodsIT.stop();
        }
    }

    @Test
    void validPodsStayValid(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) throws Exception {
        new RandomPodsIT().aValidPodStaysValidAndTheRestOfItStaysAsItWas(42, controlPlane, client, namespace);
    }

    @Test
    void workloadsOfAllKindsAreCompleted(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        WorkloadKindsIT.start(controlPlane, client);
        try {
            new WorkloadKindsIT().makePodsThatAreCompletedAndNeverRefused("baseline", controlPlane, client);
        } finally {
            WorkloadKindsIT.stop();
        }
    }

    @Test
    void aComponentMakesNoSecretButItsCa(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        var policy = new SecretsPolicyIT();
        policy.install(controlPlane, client);
        try {
            policy.aComponentMakesItsOwnCaAndNoOtherSecret(
                    "trainyard-scaler", "trainyard-internal-ca", controlPlane, client);
        } finally {
            policy.remove(client);
        }
    }

    @Test
    void theDemoPlaysAStory(@TempDir Path directory) throws Exception {
        var run = DemoRun.of(directory, Map.of(), "--output=json", "--scenario=spot", "--kubernetes=1.32");

        var report = run.report();
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(report.path("kubernetes").asText()).startsWith("v1.32.");
        assertThat(report.path("ok").asBoolean()).isTrue();
    }
}
