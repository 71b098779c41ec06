package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolSpec.TaintSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Objects;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DiscoveryTest {

    private static final String CLUSTER = "k8s.example.com";
    private static final String REGION = "ap-northeast-1";

    private final Map<String, Group> groups = new TreeMap<>();
    private final Map<String, Launch> launches = new HashMap<>();
    private boolean protectsNew = true;

    /** Adds the seed's group: kops' three tags, and the given ones, such as a role and a promised label. */
    private void kops(String name, String... tags) {
        group(
                name,
                tags(
                        tags,
                        "KubernetesCluster",
                        CLUSTER,
                        "Name",
                        name,
                        "k8s.io/role/node",
                        "1",
                        "trainyard-cluster",
                        ""),
                new Launch("t2.medium", "ami-1", false),
                Optional.empty());
    }

    @Test
    void seed004_awsAGroupIsFoundByTheTagsOfKopsAndAnotherClustersIsNot() {
        kops("gpu-nodes." + CLUSTER, "KubernetesRole", "kubernetes-minion", "kube/gpu", "true");
        kops("gpu-nodes.other", "KubernetesRole", "kubernetes-minion", "KubernetesCluster", "other");
        assertThat(found().proposals()).hasSize(1);
        var pool = found().proposals().get(0);
        assertThat(pool.pool()).isEqualTo("gpu-nodes");
        assertThat(pool.group()).isEqualTo("gpu-nodes." + CLUSTER);
        assertThat(pool.min()).isEqualTo(1);
        assertThat(pool.max()).isEqualTo(10);
        assertThat(pool.capacityType()).isEqualTo(CapacityType.ON_DEMAND);
        assertThat(pool.instanceTypes()).containsExactly("t2.medium");
        assertThat(pool.remarks()).isEmpty();
    }

    /** The labels are also promised while the group has no machine. */
    @Test
    void seed004_awsTagsOfKubeBecomePromisedLabelsThatSelectorsMatch() {
        kops("gpu-nodes." + CLUSTER, "KubernetesRole", "kubernetes-minion", "kube/gpu", "true");
        var pool = pool(found().proposals().get(0), Map.of("cpu", new Quantity("2"), "pods", new Quantity("30")));
        var place = pool.promise();
        assertThat(Fit.check(selecting("gpu", "true"), place, place.allocatable()))
                .isEmpty();
        assertThat(Fit.check(selecting("gpu", "false"), place, place.allocatable()))
                .isPresent();
    }

    @Test
    void seed004_awsSelectsByTypeClassImageRegionAndZone() {
        kops("nodes." + CLUSTER, "KubernetesRole", "kubernetes-minion");
        var pool = found().proposals().get(0);
        assertThat(pool.labels())
                .containsEntry("node.kubernetes.io/instance-type", "t2.medium")
                .containsEntry("topology.kubernetes.io/region", REGION)
                .containsEntry("topology.kubernetes.io/zone", "ap-northeast-1a");
        assertThat(pool.selectors())
                .containsEntry("aws/type", "t2.medium")
                .containsEntry("aws/class", "t")
                .containsEntry("aws/ami-id", "ami-1")
                .containsEntry("aws/region", REGION)
                .containsEntry("beta.kubernetes.io/instance-type", "t2.medium")
                .containsEntry("failure-domain.beta.kubernetes.io/region", REGION);
    }

    /** The old autoscaler stopped completely in this case. */
    @Test
    void seed004_awsAnUnknownInstanceTypePutsOneGroupOutOfUseAndIsNamed() {
        kops("nodes." + CLUSTER, "KubernetesRole", "kubernetes-minion");
        kops("new-nodes." + CLUSTER, "KubernetesRole", "kubernetes-minion");
        launches.put("nodes." + CLUSTER, new Launch("p3.2xlarge", "ami-1", false));
        launches.put("new-nodes." + CLUSTER, new Launch("z9.unheard-of", "ami-1", false));
        var specs =
                found().proposals().stream().collect(Collectors.toMap(Discovery.Proposal::pool, p -> spec(p, null)));

        var catalogue = Catalogue.of(specs, Map.of());

        assertThat(catalogue.pools()).containsOnlyKeys("nodes");
        assertThat(catalogue.problems()).hasSize(1).allSatisfy(problem -> {
            assertThat(problem.name()).isEqualTo("new-nodes");
            assertThat(problem.message()).contains("'z9.unheard-of' is not a known machine size");
        });
    }

    @Test
    void bothTagsAndBothRolesAreTaken() {
        for (var key : Discovery.ROLE_KEYS) {
            for (var role : Discovery.ROLES) {
                kops(key + "-" + role, key, role);
            }
        }
        assertThat(found().proposals()).hasSize(4);
        assertThat(found().skipped()).isEmpty();
    }

    /** The old README documented role minion, which its code ignored without a message. */
    @Test
    void seed004_awsSaysWhichRoleTagItExpectsOfAGroupThatIsSkipped() {
        kops("gpu-nodes", "Role", "minion");
        assertThat(found().proposals()).isEmpty();
        assertThat(found().skipped())
                .extracting(Discovery.Skipped::toString)
                .containsExactly(
                        "group gpu-nodes skipped: its tag Role is 'minion', expected worker or kubernetes-minion; see docs/troubleshooting.md#group-skipped");
    }

    @Test
    void groupsOfOthersAreSkippedWithTheReason() {
        kops("theirs", "KubernetesCluster", "other.example.com");
        group("untagged", Map.of(), new Launch("t2.medium", "", false), Optional.empty());
        group(
                "masters." + CLUSTER,
                Map.of("KubernetesCluster", CLUSTER, "k8s.io/role/master", "1"),
                new Launch("t2.medium", "", false),
                Optional.empty());
        group("roleless", Map.of("KubernetesCluster", CLUSTER), new Launch("t2.medium", "", false), Optional.empty());
        assertThat(found().proposals()).isEmpty();
        assertThat(found().skipped())
                .extracting(Discovery.Skipped::reason)
                .anyMatch(reason -> reason.contains("'other.example.com', expected '" + CLUSTER))
                .anyMatch(reason -> reason.startsWith("it has none of the tags KubernetesCluster=" + CLUSTER))
                .anyMatch(reason -> reason.contains("k8s.io/role/master"))
                .anyMatch(reason -> reason.contains("it has no role"))
                .hasSize(4);
    }

    @Test
    void tagsOfTheClusterAutoscalerArePromises() {
        group(
                "eks",
                Map.of(
                        "kubernetes.io/cluster/" + CLUSTER,
                        "owned",
                        "k8s.io/cluster-autoscaler/enabled",
                        "true",
                        "k8s.io/cluster-autoscaler/node-template/label/team",
                        "vision",
                        "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu",
                        "present:NoSchedule",
                        "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu",
                        "4",
                        "k8s.io/cluster-autoscaler/node-template/taint/bad",
                        "NoSchedule",
                        "kube/not a label",
                        "x",
                        "trainyard-cluster",
                        "eks"),
                new Launch("g4dn.12xlarge", "ami-2", true),
                Optional.empty());
        var pool = found().proposals().get(0);
        assertThat(pool.capacityType()).isEqualTo(CapacityType.SPOT);
        assertThat(pool.labels()).containsEntry("team", "vision");
        assertThat(pool.taints()).containsExactly(new TaintSpec("nvidia.com/gpu", "present", "NoSchedule"));
        assertThat(pool.resources()).containsExactly(Map.entry("nvidia.com/gpu", "4"));
        assertThat(pool.remarks())
                .anyMatch(remark -> remark.contains("taint bad"))
                .anyMatch(remark -> remark.contains("not a label"))
                .hasSize(2);
    }

    @Test
    void spotAndOnDemandInOneGroupAreNoPool() {
        var wanted = Map.of("KubernetesCluster", CLUSTER, "Role", "worker");
        var launch = new Launch("p3.2xlarge", "", false);
        group("half", wanted, launch, Optional.of(new Group.Mix(1, 50, List.of(), false, false)));
        group("weighted", wanted, launch, Optional.of(new Group.Mix(0, 0, List.of(), true, false)));
        group(
                "spot",
                wanted,
                launch,
                Optional.of(new Group.Mix(0, 0, List.of("p3.2xlarge", "p3.8xlarge"), false, false)));
        group("dear", wanted, launch, Optional.of(new Group.Mix(0, 100, List.of("p3.2xlarge"), false, false)));
        var found = found();
        assertThat(found.skipped()).extracting(Discovery.Skipped::group).containsExactly("half", "weighted");
        assertThat(found.proposals())
                .extracting(Discovery.Proposal::group, Discovery.Proposal::capacityType)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("dear", CapacityType.ON_DEMAND),
                        org.assertj.core.groups.Tuple.tuple("spot", CapacityType.SPOT));
        assertThat(found.proposals().get(1).labels()).doesNotContainKey("node.kubernetes.io/instance-type");
        assertThat(found.proposals().get(1).selectors()).doesNotContainKey("aws/type");
        assertThat(found.proposals().get(1).instanceTypes()).containsExactly("p3.2xlarge", "p3.8xlarge");
    }

    @Test
    void labelsThatToolsPutOnNodesArePromisedAndWhatATagPromisesIsNoGuess() {
        kops(
                "nodes",
                "Role",
                "worker",
                "kops.k8s.io/instancegroup",
                "gpu-nodes",
                "eks:nodegroup-name",
                "ng-1",
                "kube/aws/type",
                "special");
        var pool = found().proposals().get(0);
        assertThat(pool.labels())
                .containsEntry("kops.k8s.io/instancegroup", "gpu-nodes")
                .containsEntry("eks.amazonaws.com/nodegroup", "ng-1")
                .containsEntry("aws/type", "special");
        assertThat(pool.selectors()).doesNotContainKey("aws/type").containsEntry("aws/class", "t");
    }

    @Test
    void aGroupThatThePolicyAllowsNoChangeOfIsNamed() {
        group(
                "untagged",
                Map.of("KubernetesCluster", CLUSTER, "Role", "worker"),
                new Launch("t2.medium", "", false),
                Optional.empty());
        assertThat(found().proposals().get(0).remarks())
                .containsExactly(
                        "manifests/aws/iam-policy.json allows no change of the group: add the tag trainyard-cluster with the value of the role's tag");
    }

    @Test
    void aGroupThatDoesNotProtectItsMachinesIsNamed() {
        protectsNew = false;
        kops("nodes", "Role", "worker");
        assertThat(found().proposals().get(0).remarks())
                .singleElement()
                .asString()
                .startsWith("AWS may terminate new machines")
                .endsWith("in the group");
    }

    @Test
    void templatesAndConfigurationsAreLookedUpOnTheWire() throws Exception {
        try (var stage = new AwsStage()) {
            stage.aws.delete(AwsStage.GROUP);
            stage.aws.pageSize(2);
            for (int i = 0; i < 120; i++) {
                var group = stage.aws
                        .group("nodes-%03d.%s".formatted(i, CLUSTER))
                        .tag("KubernetesCluster", CLUSTER)
                        .tag("Role", "worker");
                if (i < 118) {
                    group.source("<LaunchConfigurationName>config-%d</LaunchConfigurationName>".formatted(i));
                }
            }
            stage.aws.group("theirs");
            try (var calls = new AwsCalls(REGION, stage.settings())) {
                var found = Discovery.in(REGION, CLUSTER, calls);
                assertThat(found.skipped()).extracting(Discovery.Skipped::group).containsExactly("theirs");
                assertThat(found.proposals()).hasSize(120);
                // The old autoscaler read only the first 50 configurations, and failed on templates.
                assertThat(found.proposals().get(117).instanceTypes()).containsExactly("g2.2xlarge");
                assertThat(found.proposals().get(119).instanceTypes()).containsExactly("p3.2xlarge");
                assertThat(found.proposals()).allMatch(pool -> pool.capacityType() == CapacityType.SPOT);
            }
        }
    }

    @Test
    void theGuideNamesTheRolesThatAreTaken() throws Exception {
        var guide = Files.readString(Path.of(System.getProperty("trainyard.root"), "docs", "aws.md"));
        assertThat(guide)
                .contains(
                        Discovery.ROLE_KEYS.stream().map(key -> "`" + key + "`").toList())
                .contains(Discovery.ROLES.stream().map(role -> "`" + role + "`").toList());
    }

    private static Pool pool(Discovery.Proposal proposal, Map<String, Quantity> allocatable) {
        return Pool.of(proposal.pool(), spec(proposal, allocatable));
    }

    /** Returns the spec that an import writes. */
    private static TrainingPoolSpec spec(Discovery.Proposal proposal, Map<String, Quantity> allocatable) {
        return new TrainingPoolSpec(
                new ProviderSpec(null, null, new AwsAutoScalingGroup(proposal.region(), proposal.group(), true), null),
                proposal.capacityType(),
                proposal.min(),
                proposal.max(),
                0,
                new PromiseSpec(
                        proposal.labels(),
                        proposal.taints(),
                        allocatable,
                        allocatable == null ? proposal.instanceTypes().get(0) : null,
                        null),
                null,
                null,
                null);
    }

    private static PodShape selecting(String key, String value) {
        return PodReader.shapeOf(new PodBuilder(Objects.waiting("serve", null))
                .editSpec()
                .addToNodeSelector(key, value)
                .endSpec()
                .build());
    }

    private Discovery.Found found() {
        return Discovery.of(REGION, CLUSTER, groups.values(), launches);
    }

    private void group(String name, Map<String, String> tags, Launch launch, Optional<Group.Mix> mix) {
        groups.put(
                name,
                new Group(
                        name,
                        1,
                        10,
                        1,
                        List.of(),
                        List.of("ap-northeast-1a"),
                        Set.of(),
                        protectsNew,
                        new Group.Source.LaunchConfiguration(name),
                        mix,
                        "units",
                        0,
                        false,
                        Optional.empty(),
                        new TreeMap<>(tags)));
        launches.put(name, launch);
    }

    private static Map<String, String> tags(String[] winning, String... others) {
        var tags = new TreeMap<String, String>();
        for (var pairs : List.of(others, winning)) {
            for (int i = 0; i < pairs.length; i += 2) {
                tags.put(pairs[i], pairs[i + 1]);
            }
        }
        return tags;
    }
}
