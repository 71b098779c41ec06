package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.check.Finding.Level;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.PoolState;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests of the checks of installed objects. Each test breaks one object. */
class InstallationChecksTest {

    private static final Instant NOW = CheckFixture.NOW;

    private final CheckFixture world = new CheckFixture();

    @Test
    void findsDefinitionsThatAreMissingNotServedOrOfAnotherVersion() {
        var pools = world.definitions.get(0);
        world.definitions.remove(1);
        pools.getStatus().getConditions().get(0).setStatus("False");
        assertThat(world.errors())
                .anyMatch(
                        error -> error.startsWith(
                                "error    definitions: trainingpools.trainyard.dev is not served (CustomResourceDefinition trainingpools.trainyard.dev status.conditions[Established]"))
                .anyMatch(
                        error -> error.startsWith(
                                "error    definitions: trainingtiers.trainyard.dev is not installed; apply manifests/base/crds"));

        pools.getStatus().getConditions().get(0).setStatus("True");
        pools.getSpec().getVersions().get(0).setName("v1");
        assertThat(world.errors())
                .anyMatch(error -> error.contains("is not served as v1alpha1 (")
                        && error.contains("spec.versions = v1, expected v1alpha1, served"));
    }

    @Test
    void findsDefinitionsThatLackFields() {
        var schema = world.definitions
                .get(0)
                .getSpec()
                .getVersions()
                .get(0)
                .getSchema()
                .getOpenAPIV3Schema();
        schema.getProperties().get("spec").getProperties().remove("scaleDown");
        assertThat(world.trouble().toString())
                .contains("drops the fields spec.scaleDown, spec.scaleDown.billingIncrement")
                .endsWith("#definitions");
    }

    @Test
    void findsWhichRightsAreMissingAndWhatGrantsThem() {
        world.rights = ReadResult.of(world.rights.value().orElseThrow().stream()
                .map(held -> new RightAnswer(
                        held.right(),
                        held.user(),
                        !(held.right().resource().equals("pods/eviction")
                                || (held.right().serviceAccount().equals("trainyard-webhook")
                                        && held.right().resource().equals("namespaces")))))
                .toList());
        assertThat(world.errors())
                .containsExactly(
                        "error    rights: system:serviceaccount:trainyard-system:trainyard-scaler may not create pods/eviction; apply manifests/base/scaler/rbac.yaml, which grants this right; see docs/troubleshooting.md#rights-missing",
                        "error    rights: system:serviceaccount:trainyard-system:trainyard-webhook may not get, list, watch namespaces; apply manifests/base/webhook/rbac.yaml, which grants this right; see docs/troubleshooting.md#rights-missing");
    }

    @Test
    void findsABindingOfTheSchedulerThatIsMissing() {
        var role = "ClusterRole system:kube-scheduler";
        world.rights = ReadResult.of(world.rights.value().orElseThrow().stream()
                .map(held -> new RightAnswer(
                        held.right(), held.user(), !held.right().bound().equals(role)))
                .toList());
        assertThat(world.trouble().toString())
                .isEqualTo(
                        "error    rights: system:serviceaccount:trainyard-system:trainyard-scheduler lacks rights of ClusterRole system:kube-scheduler: create pods/binding, patch pods/status, delete pods, ...; apply manifests/base/scheduler/rbac.yaml, which binds the role; do not change the role, which is part of Kubernetes; see docs/troubleshooting.md#rights-missing");
    }

    @Test
    void needsAllThatTheManifestsBindOfKubernetesOwnRoles() {
        var bound = BundledManifests.objects("base/scheduler/rbac.yaml").stream()
                .filter(object -> object.path("kind").asText().endsWith("Binding"))
                .map(object -> object.at("/roleRef/kind").asText() + " "
                        + object.at("/roleRef/name").asText())
                .filter(role -> !role.contains(" trainyard-"))
                .toList();
        assertThat(NeededRights.of(CheckFixture.usual(), true, false))
                .extracting(Right::bound)
                .hasSizeGreaterThan(2)
                .containsAll(bound);
        assertThat(NeededRights.of(CheckFixture.usual(), true, false))
                .extracting(Right::words)
                .contains(
                        "create pods/binding",
                        "update persistentvolumeclaims",
                        "get configmaps extension-apiserver-authentication in kube-system");
    }

    @Test
    void needsTheRightsOfTheLayoutThatIsInstalled() {
        var own = NeededRights.of(CheckFixture.usual(), true, false);
        assertThat(own)
                .extracting(Right::serviceAccount)
                .contains("trainyard-scheduler", "trainyard-webhook", "trainyard-scaler")
                .doesNotContain("trainyard-extender");
        assertThat(own).extracting(Right::words).contains("patch secrets trainyard-webhook-ca in trainyard-system");

        var clusters = NeededRights.of(
                new CheckedInstallation("elsewhere", LeaseName.parse("kube-system/kube-scheduler"), "default", "0.1.0"),
                true,
                true);
        assertThat(clusters)
                .extracting(Right::serviceAccount)
                .contains("trainyard-extender")
                .doesNotContain("trainyard-scheduler");
        assertThat(clusters)
                .extracting(Right::words)
                .contains(
                        "get leases.coordination.k8s.io kube-scheduler in kube-system",
                        "patch secrets trainyard-internal-ca in elsewhere",
                        "patch nodes/status");
    }

    @Test
    void needsNoRightsOfAnExtenderThatIsNotInstalled() {
        assertThat(NeededRights.of(CheckFixture.usual(), false, false))
                .extracting(Right::words)
                .contains(
                        "create pods/binding",
                        "update leases.coordination.k8s.io trainyard-scheduler in trainyard-system")
                .doesNotContain("update leases.coordination.k8s.io trainyard-extender in trainyard-system");
        assertThat(NeededRights.of(CheckFixture.usual(), true, false))
                .extracting(Right::words)
                .contains("patch pods", "update leases.coordination.k8s.io trainyard-extender in trainyard-system");
    }

    @Test
    void findsAWebhookThatIsNotRegisteredOrNotToldOfPods() {
        var webhooks = world.registration.getWebhooks();
        webhooks.get(0).getRules().get(0).setOperations(List.of("UPDATE"));
        webhooks.remove(1);
        assertThat(world.findings())
                .anyMatch(finding ->
                        finding.startsWith("error    webhook: the API server does not call the webhook for new pods")
                                && finding.contains("rules = UPDATE of pods, expected CREATE of pods, v1"))
                .anyMatch(finding -> finding.startsWith("warning  webhook: entry all-pods.trainyard.dev is missing"));

        world.registration = new MutatingWebhookConfiguration();
        world.registration.setMetadata(null);
        assertThat(world.trouble().toString())
                .startsWith("warning  webhook: there is no MutatingWebhookConfiguration 'trainyard'");
    }

    @Test
    void findsAWebhookThatCanLockTheClusterOut() {
        var webhook = world.registration.getWebhooks().get(0);
        webhook.setFailurePolicy("Fail");
        webhook.setNamespaceSelector(null);
        assertThat(world.findings())
                .anyMatch(finding -> finding.startsWith(
                                "error    webhook: the webhook is called for pods of trainyard-system")
                        && finding.contains("namespaceSelector = all, expected not trainyard-system, not kube-system"))
                .anyMatch(finding -> finding.startsWith("warning  webhook: while the webhook is down")
                        && finding.contains("failurePolicy = Fail, expected Ignore")
                        && finding.endsWith("#webhook-keeps-pods-out"));
    }

    @Test
    void findsNamespacesWhoseWordsAreForNobody() {
        var team = world.namespaces.get(0).getMetadata();
        team.setAnnotations(Map.of("trainyard.dev/tier", "heavy", "trainyard.dev/cpu-tier", "light"));
        world.registration.getWebhooks().get(0).getNamespaceSelector().setMatchLabels(Map.of("gpu", "yes"));
        assertThat(world.findings())
                .anyMatch(
                        finding -> finding.contains(
                                "(Namespace team annotation trainyard.dev/tier = heavy, expected light); name another tier in the annotation, or create or correct this TrainingTier"))
                .anyMatch(finding ->
                        finding.contains("(Namespace team label trainyard.dev/all-pods = (nothing), expected true)"))
                .anyMatch(
                        finding -> finding.startsWith(
                                "warning  webhook: namespace team names a tier for its pods, but the webhook is not called for them"));
    }

    @Test
    void findsServicesThatLeadNowhere() {
        world.services.get(0).getSpec().getPorts().get(0).setPort(8443);
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    services: the API server calls a port that the Service does not have (Service trainyard-system/trainyard-webhook spec.ports = 8443, 8080, expected 443);")
                .endsWith("#webhook-not-called");
        world.services.remove(0);
        assertThat(world.trouble().toString())
                .contains(
                        "clientConfig.service = trainyard-system/trainyard-webhook, expected one of trainyard-scaler");
        world.services.add(BundledManifests.object("base/webhook/service.yaml", Service.class));
        world.slices.get(0).getEndpoints().get(0).getConditions().setReady(false);
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    services: no ready endpoint answers calls of the API server (Service trainyard-system/trainyard-webhook")
                .endsWith("#webhook-not-called");
    }

    @Test
    void readsTiersOfNamespacesAsTheWebhookDoes() {
        var team = world.namespaces.get(0).getMetadata();
        team.setAnnotations(Map.of("trainyard.dev/tier", " light ", "trainyard.dev/cpu-tier", ""));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    @Test
    void judgesNoNodeThatAnotherToolRemoves() {
        world.nodes.set(0, CheckFixture.node("a", "nvidia.com/gpu: \"1\" -> nvidia.com/gpu: \"0\""));
        world.nodes
                .get(0)
                .getSpec()
                .getTaints()
                .add(new TaintBuilder()
                        .withKey("karpenter.sh/disrupted")
                        .withEffect("NoSchedule")
                        .build());
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    @Test
    void findsReplicasThatAreMissing() {
        world.deployments.get(0).getStatus().setReadyReplicas(1);
        assertThat(world.trouble().toString())
                .startsWith(
                        "warning  replicas: not all replicas are ready (Deployment trainyard-system/trainyard-webhook status.readyReplicas = 1, expected 2);");
        world.deployments.get(0).getStatus().setReadyReplicas(null);
        assertThat(world.trouble().level()).isEqualTo(Level.ERROR);
        world.deployments.get(0).getSpec().setReplicas(0);
        assertThat(world.trouble().level()).isEqualTo(Level.NOTE);
        world.deployments.clear();
        assertThat(world.trouble().seen()).contains("has no Deployments of Trainyard");
    }

    @Test
    void findsVersionsThatDoNotGoTogether() {
        world.server = "v1.31.9-eks-1";
        assertThat(world.trouble().toString()).contains("version = v1.31.9-eks-1, expected 1.32 or newer");
        world.server = "v1.36.3";
        firstContainer().setImage("trainyard:0.0.9");
        assertThat(world.trouble().seen())
                .isEqualTo("components of different versions run at the same time: 0.0.9, 0.1.0");
        firstContainer().setName("kube-scheduler");
        firstContainer().setImage("kube-scheduler:v1.37.0");
        assertThat(world.trouble().toString()).contains("image of kube-scheduler = v1.37.0, expected v1.36.3, or one");
    }

    @Test
    void findsPromisesThatMachinesDoNotKeep() {
        world.nodes.set(0, CheckFixture.node("a", "nvidia.com/gpu: \"1\" -> nvidia.com/gpu: \"0\""));
        assertThat(world.trouble().toString())
                .startsWith("error    promises: the node has fewer GPUs than promised")
                .contains("(Node a status.allocatable[nvidia.com/gpu] = 0, expected 1)")
                .endsWith("#promise-not-kept");
        world.nodes.set(0, CheckFixture.node("a", "gpu: \"true\"}\nspec -> other: x}\nspec"));
        assertThat(world.trouble().toString()).contains("(Node a label gpu = (nothing), expected true)");
        world.nodes.set(0, CheckFixture.node("a", "16Gi -> 12Gi"));
        assertThat(world.trouble().toString())
                .startsWith("warning  promises")
                .contains("status.allocatable[memory] = 12Gi, expected 16Gi");
        world.nodes.set(0, CheckFixture.node("a", "key: gpu -> key: sku"));
        assertThat(world.findings())
                .anyMatch(finding -> finding.startsWith("error    promises: the node has a taint that is not promised"))
                .anyMatch(finding -> finding.startsWith("warning  promises: a promised taint is missing"));
        world.nodes.set(0, CheckFixture.node("a", "pool: spot -> pool: gone"));
        assertThat(world.trouble().toString())
                .contains("(Node a label trainyard.dev/pool = gone, expected spot)")
                .contains("; correct the label, or create or correct this TrainingPool;");
    }

    @Test
    void waitsForDriversOfYoungMachines() {
        world.nodes.set(0, CheckFixture.node("a", "nvidia.com/gpu: \"1\" -> nvidia.com/gpu: \"0\""));
        world.nodes
                .get(0)
                .getMetadata()
                .setCreationTimestamp(NOW.minusSeconds(600).toString());
        assertThat(world.trouble().level()).isEqualTo(Level.NOTE);
        world.nodes
                .get(0)
                .getMetadata()
                .setCreationTimestamp(NOW.minusSeconds(901).toString());
        assertThat(world.trouble().level()).isEqualTo(Level.ERROR);
    }

    @Test
    void findsPoolsAndTiersThatCannotBeUsedAndPoolsThatBackOff() {
        world.nodes.clear();
        var backsOff = CheckFixture.pool("backs-off", "1", """
                {backOff: {until: "2026-03-01T12:05:00Z", kind: quota, reason: over quota, failures: 2}}""");
        var unread = CheckFixture.pool("unread", "1", """
                {conditions: [{type: Ready, status: "False", reason: NotRead, message: AccessDenied},
                  {type: Readable, status: "False", reason: NotRead, message: AccessDenied},
                  {type: CloudResourceSound, status: "False", reason: Warnings, message: not protected}]}""");
        world.pools = ReadResult.of(List.of(CheckFixture.pool("spot", "many"), backsOff, unread));
        assertThat(world.errors())
                .anyMatch(error -> error.startsWith("error    TrainingPool spot: spec.promise.allocatable"))
                .anyMatch(error -> error.startsWith("error    TrainingTier light: spec.pools"))
                .anyMatch(error ->
                        error.startsWith("error    TrainingPool unread: its cloud cannot be read: AccessDenied"));
        assertThat(world.findings())
                .anyMatch(finding -> finding.startsWith(
                                "warning  TrainingPool backs-off: backs off until 2026-03-01T12:05:00Z: quota")
                        && finding.endsWith("#over-quota"))
                .anyMatch(finding -> finding.startsWith("warning  TrainingPool unread: not protected"));
    }

    @Test
    void reportsNoFailedReadOfAnInvalidPool() {
        var invalid = CheckFixture.pool("invalid", "many", """
                {conditions: [{type: Ready, status: "False", reason: Invalid, message: no promise},
                  {type: Readable, status: Unknown, reason: NotRead, message: "not read: no promise"}]}""");
        world.pools = ReadResult.of(List.of(CheckFixture.pool("spot", "1"), invalid));
        assertThat(world.errors())
                .singleElement()
                .asString()
                .startsWith("error    TrainingPool invalid: spec.promise.allocatable");
    }

    @Test
    void findsPoolsWhoseMachinesDoNotHelp() {
        world.pools = ReadResult.of(List.of(CheckFixture.pool("spot", "1", """
                {nodes: {exclusions: [
                  {pods: a1, until: "2026-03-02T12:00:00Z", failures: 1, reason: "machine spot-1 lacks label rack"},
                  {pods: b2, until: "2026-03-02T12:00:00Z", failures: 0, reason: "machine spot-2 joined just now"},
                  {pods: c3, until: "2026-03-01T11:00:00Z", failures: 1, reason: "machine spot-3 is small"}]}}""")));
        assertThat(world.findings())
                .filteredOn(finding -> finding.contains("but cannot run them"))
                .singleElement()
                .asString()
                .startsWith("warning  TrainingPool spot: machines of the pool joined")
                .contains("machine spot-1 lacks label rack", "2026-03-02T12:00:00Z")
                .endsWith("#promise-not-kept");
    }

    @Test
    void tellsWhatCloudsRefuse() {
        world.clouds = List.of(new CloudAnswer(
                "spot",
                group("spot"),
                ReadResult.unread("AccessDenied: no"),
                ReadResult.of(List.of(
                        CloudRight.allowed("ec2:DescribeInstances"),
                        CloudRight.refused("autoscaling:DescribeScalingActivities", "AccessDenied"),
                        CloudRight.untold("autoscaling:SetDesiredCapacity", "no dry run")))));
        assertThat(world.errors())
                .hasSize(2)
                .anyMatch(error -> error.contains("its cloud cannot be read: AccessDenied: no"))
                .anyMatch(
                        error -> error.contains(
                                "the cloud refuses autoscaling:DescribeScalingActivities: AccessDenied; grant this right, as described in docs/aws.md"));
        assertThat(world.findings())
                .anyMatch(
                        finding -> finding.startsWith("ok       clouds: TrainingPool spot: the cloud allows ec2:Desc"))
                .anyMatch(finding ->
                        finding.startsWith("note     clouds") && finding.contains("was not checked: no dry run"));
    }

    @Test
    void missingOptionalRightIsNoError() {
        world.clouds = List.of(new CloudAnswer(
                "spot",
                group("spot"),
                ReadResult.of(new PoolState(0, List.of(), List.of())),
                ReadResult.of(List.of(CloudRight.optional("ec2:GetSpotPlacementScores", "UnauthorizedOperation")))));
        assertThat(world.errors()).isEmpty();
        assertThat(world.findings())
                .anyMatch(finding -> finding.startsWith("note     clouds: TrainingPool spot: the cloud refuses ")
                        && finding.contains("ec2:GetSpotPlacementScores, which is optional: UnauthorizedOperation"));
    }

    @Test
    void reportsRefusedAndUnreadableQueuesOfNotices() {
        world.queues = ReadResult.of(List.of(
                new QueueAnswer(
                        "https://sqs.eu-west-1.amazonaws.com/123456789012/trainyard-mine",
                        ReadResult.of(List.of(
                                CloudRight.allowed("sqs:ReceiveMessage"),
                                CloudRight.refused("sqs:DeleteMessage", "AccessDenied")))),
                new QueueAnswer(
                        "https://sqs.eu-west-1.amazonaws.com/123456789012/trainyard-no",
                        ReadResult.unread("there is no such queue"))));

        assertThat(world.errors())
                .hasSize(2)
                .anyMatch(error -> error.contains("trainyard-mine: the cloud refuses sqs:DeleteMessage: AccessDenied"))
                .anyMatch(error -> error.contains("trainyard-no: it cannot be read: there is no such queue"));
        assertThat(world.findings())
                .anyMatch(finding -> finding.startsWith("ok       clouds: queue https")
                        && finding.endsWith("trainyard-mine: the cloud allows sqs:ReceiveMessage"));

        world.queues = ReadResult.unread("no right to read TrainingClusters");
        assertThat(world.findings())
                .anyMatch(finding -> finding.startsWith("warning  clouds")
                        && finding.contains("the queues of notices: no right to read TrainingClusters"));
    }

    @Test
    void tellsWhoElseDecidesOnTheMachinesOfAPool() {
        var node = new ProviderSpec(
                new AzureScaleSet("00000000-0000-0000-0000-000000000000", "MC_a_b_c", "aks-gpu-12345678-vmss"),
                null,
                null,
                null);
        world.clouds = Stream.of(group("eks-gpu-spot-5ec4c0a1-77d5-1c3f-2a4b-0123456789ab"), node, group("eks-gpu"))
                .map(where -> new CloudAnswer("spot", where, ReadResult.unread("no"), ReadResult.unread("no")))
                .toList();
        assertThat(world.findings().stream().filter(finding -> finding.contains("its machines belong to")))
                .satisfiesExactly(
                        eks -> assertThat(eks)
                                .contains("EKS managed node group", "docs/aws.md#eks-managed-node-groups"),
                        aks -> assertThat(aks).contains("AKS node pool", "docs/azure.md#aks-node-pools"));
    }

    private static ProviderSpec group(String name) {
        return new ProviderSpec(null, null, new AwsAutoScalingGroup("eu-west-1", name, null), null);
    }

    private Container firstContainer() {
        return world.deployments
                .get(0)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .get(0);
    }
}
