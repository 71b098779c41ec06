package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** {@code trainyard check} on a complete Trainyard, with one part after the other broken. */
@WithTestCluster
@Tag("disruptive")
@ResourceLock(WithTestCluster.WHOLE)
class CheckTestClusterIT {

    private static final String REGISTRATION = "mutatingwebhookconfiguration/trainyard";

    /** A foreign webhook without a server, which the API server calls for the check's test pods only. */
    private static final String FOREIGN = """
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingWebhookConfiguration
            metadata: {name: check-foreign}
            webhooks:
              - name: pods.example.com
                clientConfig: {url: "https://127.0.0.1:1/"}
                admissionReviewVersions: [v1]
                sideEffects: None
                rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
                matchConditions:
                  - {name: on-trial, expression: "object.metadata.?generateName.orValue('') == 'trainyard-check-'"}
            """;

    private TestCluster testCluster;

    @BeforeEach
    void know(TestCluster shared) {
        testCluster = shared;
    }

    /** Expects no result on whether the scheduler runs: it has no leader election, as in the demo, and maybe no pod that it has placed. */
    @Test
    void hasNoErrorsWhereAllIsWell() {
        var result = check();
        assertThat(result.lines("error")).isEmpty();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains("ok       versions: the API server is v1.")
                .contains(
                        "ok       definitions: trainingclusters.trainyard.dev, trainingpools.trainyard.dev, trainingtiers.trainyard.dev are installed")
                .contains("ok       rights: system:serviceaccount:trainyard-system:trainyard-scaler has all ")
                .contains("ok       rights: system:serviceaccount:trainyard-system:trainyard-scheduler has all ")
                .contains("ok       rights: system:serviceaccount:trainyard-system:trainyard-webhook has all ")
                .contains("ok       test pod: the webhook completed a pod of tier ")
                .contains("ok       test pod: the webhook completed a pod that requests a GPU and names no tier ")
                .contains("ok       test pod: a pod that requests no GPU and names no tier ")
                .contains("ok       webhook: is registered for pods that want a GPU or name a tier")
                .contains("ok       policies: each ValidatingAdmissionPolicy exists and matches the manifests")
                .contains("ok       policies: each ValidatingAdmissionPolicyBinding exists and matches the manifests")
                .contains("ok       scheduler's configuration: ")
                .contains("ok       scaler: ");
        assertThat(testCluster.client().pods().inNamespace("default").list().getItems())
                .as("pods on trial are not stored")
                .noneMatch(pod -> pod.getMetadata().getName().startsWith("trainyard-check-"));
    }

    @Test
    void findsAWebhookThatIsDownAndOneThatIsNotTrusted() {
        testCluster.stop(InstalledComponent.WEBHOOK);
        try {
            assertThat(check().lines("error"))
                    .isNotEmpty()
                    .allMatch(line -> line.startsWith("error    test pod: the API server creates a pod ")
                            && line.contains("failed calling webhook")
                            && line.endsWith("see docs/troubleshooting.md#webhook-not-called"));

            caBundles("");
            assertThat(check().lines("error"))
                    .anyMatch(line -> line.startsWith("error    certificates: the API server cannot verify the webhook")
                            && line.contains("clientConfig.caBundle = (nothing), expected the webhook's CA")
                            && line.contains("--webhook-configuration=trainyard"));

            caBundles(expired());
            var result = check();
            assertThat(result.lines("error"))
                    .anyMatch(line -> line.contains("the CA has expired")
                            && line.endsWith("see docs/troubleshooting.md#webhook-not-trusted"));
            assertThat(result.exitCode()).isEqualTo(1);
        } finally {
            testCluster.start(InstalledComponent.WEBHOOK);
        }
        assertThat(check().lines("error")).isEmpty();
    }

    @Test
    void findsAWebhookThatIsDownAndMayNotBe() {
        testCluster.stop(InstalledComponent.WEBHOOK);
        patch(REGISTRATION, """
                [{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Fail"}]""");
        try {
            assertThat(check().lines("error"))
                    .isNotEmpty()
                    .allMatch(line -> line.startsWith("error    test pod: pods such as ")
                            && line.contains("the API server cannot call webhook pods.trainyard.dev")
                            && line.endsWith("see docs/troubleshooting.md#webhook-keeps-pods-out"))
                    .noneMatch(line -> line.contains("a pod that requests no GPU"));
        } finally {
            patch(REGISTRATION, """
                    [{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]""");
            testCluster.start(InstalledComponent.WEBHOOK);
        }
        assertThat(check().lines("error")).isEmpty();
    }

    @Test
    void findsSomebodyElsesWebhookThatKeepsPodsOut() {
        var foreign = testCluster.client().resource(FOREIGN).create();
        try {
            assertThat(check().lines("error"))
                    .isNotEmpty()
                    .allMatch(line -> line.contains("cannot call webhook pods.example.com (not part of Trainyard)")
                            && line.endsWith("see docs/troubleshooting.md#webhook-keeps-pods-out"));
        } finally {
            testCluster.client().resource(foreign).delete();
        }
        assertThat(check().lines("error")).isEmpty();
    }

    @Test
    void findsAPolicyThatIsNotBound() {
        testCluster.kubectl().succeed("delete", "validatingadmissionpolicybinding/trainyard-secrets");
        try {
            assertThat(check().lines("warning"))
                    .anyMatch(line -> line.contains("ValidatingAdmissionPolicyBinding trainyard-secrets is missing")
                            && line.endsWith("see docs/troubleshooting.md#rights-too-wide"));
        } finally {
            testCluster.kubectl().succeed("apply", "-k", "install");
        }
        assertThat(check().lines("warning")).noneMatch(line -> line.contains("policies: "));
    }

    @Test
    void findsMatchConditionsThatAreNotTheManifests() {
        patch(REGISTRATION, """
                [{"op": "replace", "path": "/webhooks/0/matchConditions/0/expression", "value": "false"}]""");
        try {
            assertThat(check().lines("error"))
                    .anyMatch(line ->
                            line.contains("matchConditions[wants-gpu-or-names-tier].expression = false, expected"))
                    .anyMatch(line -> line.startsWith("error    test pod: the API server creates a pod of tier "));
        } finally {
            testCluster.kubectl().succeed("apply", "-k", "install");
        }
        assertThat(check().lines("error")).isEmpty();
    }

    @Test
    void findsARuleThatIsMissing() {
        patch("clusterrole/trainyard-scaler", """
                [{"op": "test", "path": "/rules/4/resources/0", "value": "daemonsets"}, {"op": "remove", "path": "/rules/4"}]""");
        try {
            assertThat(check().lines("error"))
                    .singleElement()
                    .asString()
                    .startsWith("error    rights: system:serviceaccount:trainyard-system:trainyard-scaler may not ")
                    .contains("daemonsets.apps")
                    .contains("apply manifests/base/scaler/rbac.yaml")
                    .endsWith("see docs/troubleshooting.md#rights-missing");
        } finally {
            testCluster.kubectl().succeed("apply", "-k", "install");
        }
        assertThat(check().lines("error")).isEmpty();
    }

    @Test
    void findsABindingOfTheSchedulerThatIsMissing() {
        testCluster.kubectl().succeed("delete", "clusterrolebinding/trainyard-scheduler");
        try {
            assertThat(check().lines("error"))
                    .singleElement()
                    .asString()
                    .startsWith("error    rights: system:serviceaccount:trainyard-system:trainyard-scheduler lacks "
                            + "rights of ClusterRole system:kube-scheduler: create pods/binding")
                    .contains("apply manifests/base/scheduler/rbac.yaml");
        } finally {
            testCluster.kubectl().succeed("apply", "-k", "install");
        }
        assertThat(check().lines("error")).isEmpty();
    }

    @Test
    void findsADefinitionOfAnOlderTrainyard() {
        var field =
                "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/scaleDown/properties/billingIncrement";
        var rule =
                "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/scaleDown/x-kubernetes-validations";
        patch(
                "crd/trainingpools.trainyard.dev",
                "[{\"op\": \"remove\", \"path\": \"%s\"}, {\"op\": \"remove\", \"path\": \"%s\"}]"
                        .formatted(field, rule));
        try {
            assertThat(check().lines("error"))
                    .singleElement()
                    .asString()
                    .contains("drops the fields spec.scaleDown.billingIncrement")
                    .contains("apply manifests/base/crds");
        } finally {
            testCluster.kubectl().succeed("apply", "-f", "manifests/base/crds");
        }
    }

    @Test
    void findsAServiceWithoutThePort() {
        var url = testCluster
                .client()
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard")
                .get()
                .getWebhooks()
                .get(0)
                .getClientConfig()
                .getUrl();
        patch(REGISTRATION, """
                [{"op": "remove", "path": "/webhooks/0/clientConfig/url"},
                 {"op": "add", "path": "/webhooks/0/clientConfig/service",
                  "value": {"namespace": "trainyard-system", "name": "trainyard-webhook", "path": "/mutate", "port": 444}}]""");
        try {
            assertThat(check().lines("error"))
                    .anyMatch(line -> line.startsWith(
                                    "error    services: the API server calls a port that the Service does not have")
                            && line.contains(
                                    "Service trainyard-system/trainyard-webhook spec.ports = 443, 8080, expected 444"))
                    .anyMatch(line -> line.startsWith("error    test pod"));
        } finally {
            patch(REGISTRATION, """
                    [{"op": "remove", "path": "/webhooks/0/clientConfig/service"},
                     {"op": "add", "path": "/webhooks/0/clientConfig/url", "value": "%s"}]""".formatted(url));
        }
    }

    @Test
    void findsAMachineThatIsNotWhatItsPoolPromises() {
        var pool = testCluster.client().resources(TrainingPool.class).list().getItems().stream()
                .filter(one -> one.getSpec().promise().allocatable().containsKey("nvidia.com/gpu"))
                .findFirst()
                .orElseThrow();
        Node node = testCluster
                .client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("check-odd-machine")
                        .addToLabels(Names.POOL, pool.getMetadata().getName())
                        .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                        .endMetadata()
                        .withNewStatus()
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .endCondition()
                        .withAllocatable(Map.of("cpu", new Quantity("1"), "pods", new Quantity("110")))
                        .endStatus()
                        .build())
                .create();
        try {
            assertThat(check().out().lines())
                    .anyMatch(line ->
                            line.contains("promises: the node does not report all GPUs yet; affected nodes of pool ")
                                    && line.contains(
                                            "(Node check-odd-machine status.allocatable[nvidia.com/gpu] = 0, expected ")
                                    && line.contains("wait: the node started recently"))
                    .anyMatch(line -> line.startsWith("warning  promises: the node has less than promised")
                            && line.contains("status.allocatable[cpu] = 1, expected"));
        } finally {
            testCluster.client().resource(node).delete();
        }
    }

    @Test
    void findsThatNobodyLeads() {
        testCluster.stop(InstalledComponent.SCALER);
        try {
            // A scaler that is stopped in the middle of a round does not release its Lease, which must expire first.
            testCluster
                    .kubectl()
                    .succeed(
                            "patch",
                            "lease/trainyard-scaler",
                            "--namespace=trainyard-system",
                            "--type=merge",
                            "--patch={\"spec\": {\"holderIdentity\": \"\", \"renewTime\": \"2020-01-01T00:00:00.000000Z\"}}");
            var result = check();
            // Earlier tests that stopped the extender have left pods that were placed without it.
            assertThat(result.lines("error"))
                    .filteredOn(line -> !line.endsWith("docs/troubleshooting.md#extender-not-asked"))
                    .singleElement()
                    .asString()
                    .startsWith("error    scaler: no scaler leads")
                    .contains("Lease trainyard-system/trainyard-scaler spec.renewTime")
                    .endsWith("see docs/troubleshooting.md#no-leader");
            assertThat(result.exitCode()).isEqualTo(1);
        } finally {
            testCluster.start(InstalledComponent.SCALER);
        }
    }

    @Test
    void saysWhatItMayNotLookAtAndWhichRightThatNeeds() {
        var nobody = testCluster.controlPlane().kubeconfigFor("jane", List.of("developers"));
        var result = CheckRun.of(nobody);
        assertThat(result.out())
                .contains("not checked: needs the right to create subjectaccessreviews.authorization.k8s.io")
                .contains("not checked: needs the right to list trainingpools.trainyard.dev")
                .contains("not checked: needs the right to list nodes")
                .contains("not checked: needs the right to create pods in default")
                .contains("not checked: needs the right to get leases.coordination.k8s.io in trainyard-system");
        assertThat(result.lines("error")).isEmpty();
        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
        assertThat(CheckRun.of(nobody, "--fail-on", "warning").exitCode()).isEqualTo(1);

        var scaler = testCluster
                .controlPlane()
                .kubeconfigFor(
                        "system:serviceaccount:trainyard-system:trainyard-scaler",
                        List.of("system:serviceaccounts", "system:serviceaccounts:trainyard-system"));
        assertThat(CheckRun.of(scaler).out())
                .as("whoever may not ask about others asks about himself")
                .contains("ok       rights: system:serviceaccount:trainyard-system:trainyard-scaler has all ")
                .doesNotContain("trainyard-webhook has all");
    }

    private CheckRun check() {
        return CheckRun.of(testCluster.controlPlane().kubeconfig());
    }

    private void patch(String object, String operations) {
        testCluster.kubectl().succeed("patch", object, "--type=json", "--patch", operations);
    }

    private void caBundles(String pem) {
        var value = Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
        patch(REGISTRATION, """
                [{"op": "replace", "path": "/webhooks/0/clientConfig/caBundle", "value": "%1$s"},
                 {"op": "replace", "path": "/webhooks/1/clientConfig/caBundle", "value": "%1$s"},
                 {"op": "replace", "path": "/webhooks/2/clientConfig/caBundle", "value": "%1$s"},
                 {"op": "replace", "path": "/webhooks/3/clientConfig/caBundle", "value": "%1$s"}]""".formatted(value));
    }

    private static String expired() {
        var longAgo = Clock.fixed(Instant.now().minus(Duration.ofDays(30)), ZoneOffset.UTC);
        return CertificateAuthority.create("expired", Duration.ofDays(1), longAgo)
                .certificatePem();
    }
}
