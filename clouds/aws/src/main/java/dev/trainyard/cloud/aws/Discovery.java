package dev.trainyard.cloud.aws;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.api.LabelSyntax;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.TaintSpec;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The import of a cluster's groups: finds groups by their tags and proposes a pool for each. The tags are those of kops, the
 * cluster-autoscaler and its predecessors. Pure, except for {@link #in}, which reads the groups.
 */
public final class Discovery {

    /** The tag that names the cluster of a group. */
    static final String CLUSTER = "KubernetesCluster";

    /** Tags that name the role of a group's machines. The role is the value of the first of these tags that the group has. */
    static final List<String> ROLE_KEYS = List.of("KubernetesRole", "Role");

    /** The accepted roles. */
    static final List<String> ROLES = List.of("worker", "kubernetes-minion");

    private static final String OWNED = "kubernetes.io/cluster/";
    private static final String AUTOSCALER = "k8s.io/cluster-autoscaler/";
    private static final String TEMPLATE = AUTOSCALER + "node-template/";
    private static final String KOPS_ROLE = "k8s.io/role/";
    private static final String PROMISE = "kube/";

    /** Node labels by group tag. If a group has the tag, kops or EKS gives its nodes the label with the tag's value. */
    private static final Map<String, String> LABELS_BY_TAG = Map.of(
            "kops.k8s.io/instancegroup", "kops.k8s.io/instancegroup",
            "eks:nodegroup-name", "eks.amazonaws.com/nodegroup");

    private Discovery() {}

    /**
     * A group that can be a pool.
     *
     * @param pool a name for the pool: the group's name without the name of the cluster
     * @param labels the labels of the group's nodes: those from the group's tags, and those that Kubernetes, kops and EKS put on nodes
     * @param selectors labels that old autoscalers assumed on the group's nodes; a node has such a label only if a user has set it
     * @param resources the resources that tags promise, as quantities; usually none or few, since the instance type determines the rest
     * @param instanceTypes the instance types in order of priority; empty if AWS chooses by attributes
     * @param remarks messages about invalid tags and risky settings
     */
    public record Proposal(
            String pool,
            String region,
            String group,
            CapacityType capacityType,
            int min,
            int max,
            SortedMap<String, String> labels,
            SortedMap<String, String> selectors,
            List<TaintSpec> taints,
            SortedMap<String, String> resources,
            List<String> instanceTypes,
            List<String> remarks) {}

    /** A group that cannot be a pool, and the reason. */
    public record Skipped(String group, String reason) {

        /** Returns a message such as {@code group masters.example.com skipped: ...}. */
        @Override
        public String toString() {
            return "group %s skipped: %s%s".formatted(group, reason, TroubleshootingTopic.GROUP_SKIPPED.see());
        }
    }

    /** The result of an import, sorted by group name. */
    public record Found(List<Proposal> proposals, List<Skipped> skipped) {}

    /**
     * Reads all groups of {@code region} with the credentials of the environment.
     *
     * @param cluster the cluster whose groups to find
     * @throws ProviderException if AWS cannot be read; the message is for the user
     */
    public static Found in(String region, String cluster) throws ProviderException {
        try (var calls = new AwsCalls(region, AwsSettings.usual(region))) {
            return in(region, cluster, calls);
        }
    }

    static Found in(String region, String cluster, AwsCalls calls) throws ProviderException {
        var groups = calls.allGroups();
        var members = groups.stream()
                .filter(group -> notWanted(cluster, group).isEmpty())
                .toList();
        return of(region, cluster, groups, calls.launches(members));
    }

    /** @param launches launch settings by group name; needed only for the cluster's groups */
    static Found of(String region, String cluster, Collection<Group> groups, Map<String, Launch> launches) {
        var proposals = new ArrayList<Proposal>();
        var skipped = new ArrayList<Skipped>();
        for (var group :
                groups.stream().sorted((a, b) -> a.name().compareTo(b.name())).toList()) {
            var launch = Optional.ofNullable(launches.get(group.name()));
            var reason = notWanted(cluster, group).or(() -> notUsable(group, launch));
            if (reason.isPresent()) {
                skipped.add(new Skipped(group.name(), reason.get()));
            } else {
                proposals.add(proposal(region, cluster, group, launch.orElseThrow()));
            }
        }
        return new Found(List.copyOf(proposals), List.copyOf(skipped));
    }

    private static Optional<String> notWanted(String cluster, Group group) {
        var tags = group.tags();
        var named = tags.get(CLUSTER);
        if (named != null && !named.equals(cluster)) {
            return Optional.of("its tag %s is '%s', expected '%s'".formatted(CLUSTER, named, cluster));
        }
        if (named == null && !tags.containsKey(OWNED + cluster) && !tags.containsKey(AUTOSCALER + cluster)) {
            return Optional.of("it has none of the tags %s=%s, %s, %s"
                    .formatted(CLUSTER, cluster, OWNED + cluster, AUTOSCALER + cluster));
        }
        var roleKey = ROLE_KEYS.stream().filter(key -> tags.containsKey(key)).findFirst();
        if (roleKey.isPresent()) {
            var role = tags.get(roleKey.get());
            return ROLES.contains(role)
                    ? Optional.empty()
                    : Optional.of("its tag %s is '%s', expected %s"
                            .formatted(roleKey.get(), role, String.join(" or ", ROLES)));
        }
        for (var other : List.of("master", "control-plane", "apiserver", "bastion")) {
            if (tags.containsKey(KOPS_ROLE + other)) {
                return Optional.of("its tag %s marks it as not for workloads".formatted(KOPS_ROLE + other));
            }
        }
        return tags.containsKey(KOPS_ROLE + "node") || tags.containsKey(AUTOSCALER + "enabled")
                ? Optional.empty()
                : Optional.of("it has no role; expected tag %s to be %s"
                        .formatted(String.join(" or ", ROLE_KEYS), String.join(" or ", ROLES)));
    }

    private static Optional<String> notUsable(Group group, Optional<Launch> launch) {
        if (group.deletion().isPresent()) {
            return Optional.of("it is being deleted");
        }
        if (!group.unit().equals("units")
                || group.mix().filter(Group.Mix::weighted).isPresent()) {
            return Optional.of("its desired capacity counts weights, vCPUs or memory; expected a number of machines");
        }
        if (group.mix().filter(mix -> !mix.onlySpot() && !mix.onlyOnDemand()).isPresent()) {
            return Optional.of("it mixes spot and on-demand machines; create a group and a pool per capacity type");
        }
        return launch.isEmpty()
                ? Optional.of("its launch template or launch configuration cannot be found")
                : Optional.empty();
    }

    private static Proposal proposal(String region, String cluster, Group group, Launch launch) {
        var remarks = new ArrayList<String>();
        var types = group.mix()
                .map(Group.Mix::types)
                .filter(several -> !several.isEmpty())
                .orElseGet(() -> launch.instanceType().isEmpty() ? List.of() : List.of(launch.instanceType()));
        if (types.isEmpty() || group.mix().filter(Group.Mix::byAttributes).isPresent()) {
            remarks.add(
                    "AWS chooses the instance types of the group: set spec.promise.allocatable to the allocatable resources of the smallest type");
        }
        if (!group.tags().containsKey(Rights.CLUSTER_TAG)) {
            remarks.add(
                    "manifests/aws/iam-policy.json allows no change of the group: add the tag %s with the value of the role's tag"
                            .formatted(Rights.CLUSTER_TAG));
        }
        if (!group.protectsNew()) {
            remarks.add(
                    "AWS may terminate new machines before the scaler protects them: turn on scale-in protection for new instances in the group");
        }
        var labels = usual(region, group, types);
        var taints = new ArrayList<TaintSpec>();
        var resources = new TreeMap<String, String>();
        // Explicit tags override inferred labels.
        each(group, PROMISE, (key, value) -> label(labels, key, value, remarks));
        each(group, TEMPLATE + "label/", (key, value) -> label(labels, key, value, remarks));
        each(group, TEMPLATE + "taint/", (key, value) -> taint(taints, key, value, remarks));
        each(group, TEMPLATE + "resources/", resources::put);
        var selectors = predefined(region, group, launch, types);
        selectors.keySet().removeAll(labels.keySet());
        boolean spot = group.mix().map(Group.Mix::onlySpot).orElse(launch.spot());
        return new Proposal(
                poolName(cluster, group.name()),
                region,
                group.name(),
                spot ? CapacityType.SPOT : CapacityType.ON_DEMAND,
                group.least(),
                group.most(),
                labels,
                selectors,
                List.copyOf(taints),
                resources,
                types,
                List.copyOf(remarks));
    }

    /** Returns the labels that the cloud controller manager, kops and EKS put on nodes. */
    private static SortedMap<String, String> usual(String region, Group group, List<String> types) {
        var labels = new TreeMap<String, String>();
        labels.put("topology.kubernetes.io/region", region);
        if (group.zones().size() == 1) {
            labels.put("topology.kubernetes.io/zone", group.zones().get(0));
        }
        if (types.stream().distinct().count() == 1) {
            labels.put("node.kubernetes.io/instance-type", types.get(0));
        }
        LABELS_BY_TAG.forEach((tag, label) ->
                Optional.ofNullable(group.tags().get(tag)).ifPresent(value -> labels.put(label, value)));
        return labels;
    }

    /** Returns the labels that old autoscalers compared with node selectors. */
    private static SortedMap<String, String> predefined(String region, Group group, Launch launch, List<String> types) {
        var labels = new TreeMap<String, String>();
        labels.put("aws/region", region);
        labels.put("failure-domain.beta.kubernetes.io/region", region);
        if (group.zones().size() == 1) {
            labels.put("failure-domain.beta.kubernetes.io/zone", group.zones().get(0));
        }
        if (types.stream().distinct().count() == 1) {
            var type = types.get(0);
            labels.put("aws/type", type);
            labels.put("aws/class", type.substring(0, 1));
            labels.put("beta.kubernetes.io/instance-type", type);
        }
        if (!launch.imageId().isEmpty()) {
            labels.put("aws/ami-id", launch.imageId());
        }
        return labels;
    }

    private static void each(Group group, String prefix, BiConsumer<String, String> tag) {
        group.tags().forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                tag.accept(key.substring(prefix.length()), value);
            }
        });
    }

    private static void label(Map<String, String> labels, String key, String value, List<String> remarks) {
        try {
            LabelSyntax.requireKey(key);
            LabelSyntax.requireValue(value);
            labels.put(key, value);
        } catch (IllegalArgumentException e) {
            remarks.add("tag %s promises an invalid label: %s".formatted(key, e.getMessage()));
        }
    }

    private static void taint(List<TaintSpec> taints, String key, String value, List<String> remarks) {
        int colon = value.lastIndexOf(':');
        if (colon < 0) {
            remarks.add("tag for taint %s is '%s'; expected a value, a colon and an effect".formatted(key, value));
        } else {
            taints.add(new TaintSpec(key, value.substring(0, colon), value.substring(colon + 1)));
        }
    }

    /** Returns a pool's name. kops names groups {@code gpu-nodes.CLUSTER}. */
    private static String poolName(String cluster, String group) {
        var shortened =
                group.endsWith("." + cluster) ? group.substring(0, group.length() - cluster.length() - 1) : group;
        return shortened.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    }
}
