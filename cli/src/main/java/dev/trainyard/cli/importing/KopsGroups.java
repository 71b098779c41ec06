package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A reader of the InstanceGroups of a kops cluster, as {@code kops get instancegroups -o yaml} prints them. If the file also contains the
 * Cluster object, that object provides the cluster's name, cloud, network plugin, and zones of subnets.
 *
 * <p>Source: kops' pages on instance groups (kops.sigs.k8s.io/instance_groups, kops.sigs.k8s.io/tutorial/working-with-instancegroups).
 */
final class KopsGroups {

    /** The fields about the contents and the replacement of machines, which remain settings of the Auto Scaling group. */
    private static final String[] OF_THE_MACHINE = {
        "image",
        "associatePublicIp",
        "rootVolumeSize",
        "rootVolumeType",
        "rootVolumeIops",
        "rootVolumeThroughput",
        "rootVolumeOptimization",
        "rootVolumeEncryption",
        "rootVolumeEncryptionKey",
        "rootVolumeDeleteOnTermination",
        "rootVolume",
        "volumes",
        "volumeMounts",
        "additionalSecurityGroups",
        "securityGroupOverride",
        "additionalUserData",
        "iam",
        "detailedInstanceMonitoring",
        "externalLoadBalancers",
        "fileAssets",
        "hooks",
        "sysctlParameters",
        "tenancy",
        "instanceMetadata",
        "rollingUpdate",
        "updatePolicy",
        "compressUserData",
        "packages",
        "containerd",
        "guestAccelerators",
        "cpuCredits",
        "capacityRebalance",
        "warmPool",
        "maxInstanceLifetime",
        "spotDurationInMinutes",
        "maxPrice",
        "instanceInterruptionBehavior",
        "autoscalePriority"
    };

    private static final String ONLY_AWS = "only clusters on AWS can be imported";

    private static final String AN_AWS_SIZE = "m5.large";

    private static final String CLUSTER_LABEL = "kops.k8s.io/cluster";

    private final Optional<String> clusterName;
    private final Optional<String> region;
    private final ImportRemarks remarks;
    private final MissingOptions missing = new MissingOptions();
    private final Map<String, String> zoneOfSubnet = new HashMap<>();
    private Optional<String> clusterOfFile = Optional.empty();
    private boolean addressesFromTheNetwork;

    private KopsGroups(Optional<String> clusterName, Optional<String> region, ImportRemarks remarks) {
        this.clusterName = clusterName;
        this.region = region;
        this.remarks = remarks;
    }

    /**
     * @param clusterName the name of the cluster; empty to take the name from the file
     * @param region the AWS region; empty to derive the region from the zones in the file
     * @throws IllegalArgumentException if the file has no group, or the cluster is not on AWS
     * @throws MissingOptionsException if the options and the file lack the cluster's name or the region
     */
    static Imported read(
            SourceFile file, Optional<String> clusterName, Optional<String> region, ImportRemarks remarks) {
        return new KopsGroups(clusterName, region, remarks).read(file);
    }

    private Imported read(SourceFile file) {
        var groups = new ArrayList<TrackedObject>();
        for (var document : objects(file)) {
            var kind = document.path("kind").asText();
            var name = document.path("metadata").path("name").asText();
            switch (kind) {
                case "InstanceGroup" ->
                    groups.add(
                            new TrackedObject("%s: InstanceGroup %s:".formatted(file.name(), name), document, remarks));
                case "Cluster" ->
                    cluster(new TrackedObject("%s: Cluster %s:".formatted(file.name(), name), document, remarks), name);
                default ->
                    remarks.add(file.name(), kind, "left out: expected InstanceGroup and Cluster objects of kops");
            }
        }
        if (groups.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s: no InstanceGroup found; expected the output of `kops get instancegroups -o yaml`"
                            .formatted(file.name()));
        }
        var drafts = new ArrayList<PoolDraft>();
        groups.forEach(group -> draft(group).ifPresent(drafts::add));
        missing.requireNone();
        return new Imported(drafts, DriverMode.NONE);
    }

    /** Returns the objects in the file. With {@code -o json}, kops prints several objects as one array. */
    private static List<JsonNode> objects(SourceFile file) {
        var objects = new ArrayList<JsonNode>();
        for (var document : file.documents()) {
            if (document.isArray()) {
                document.forEach(objects::add);
            } else {
                objects.add(document);
            }
        }
        objects.removeIf(object -> !object.isObject());
        return objects;
    }

    /** @throws IllegalArgumentException if the cluster is not on AWS */
    private void cluster(TrackedObject cluster, String name) {
        var spec = cluster.section("spec");
        cloudProviders(spec).stream()
                .filter(provider -> !provider.equalsIgnoreCase("aws"))
                .findFirst()
                .ifPresent(provider -> {
                    throw new IllegalArgumentException(
                            "%s: cloudProvider %s: %s".formatted(spec.place(), provider, ONLY_AWS));
                });
        clusterOfFile = Optional.of(name);
        for (var subnet : spec.sections("subnets")) {
            subnet.text("zone")
                    .ifPresent(zone -> zoneOfSubnet.put(subnet.text("name").orElse(""), zone));
        }
        var networking = spec.section("networking");
        addressesFromTheNetwork = networking.has("amazonvpc");
    }

    /** Returns the names of cloud providers: a text in v1alpha2, the keys of an object in v1alpha3. */
    private static List<String> cloudProviders(TrackedObject spec) {
        var members = spec.section("cloudProvider").members();
        return members.isEmpty() ? spec.text("cloudProvider").stream().toList() : members;
    }

    private Optional<PoolDraft> draft(TrackedObject group) {
        var metadata = group.section("metadata");
        var name = metadata.text("name").orElse("");
        var spec = group.section("spec");
        var role = spec.text("role").orElse("Node");
        if (name.isEmpty()) {
            remarks.add(group.place(), "", "group left out: metadata.name is missing");
            return Optional.empty();
        }
        if (!role.equalsIgnoreCase("Node")) {
            spec.remark("role", "group left out: training pods run on groups whose role is Node");
            return Optional.empty();
        }
        if (spec.text("manager").orElse("").equalsIgnoreCase("Karpenter")) {
            spec.remark(
                    "manager",
                    "group left out: Karpenter launches its machines, without an Auto Scaling group; set manager to CloudGroup to import the group");
            return Optional.empty();
        }
        if (!spec.text("machineType").orElse(AN_AWS_SIZE).contains(".")) {
            spec.remark("machineType", "group left out: not an instance type of AWS; " + ONLY_AWS);
            return Optional.empty();
        }
        if (spec.flag("autoscale").orElse(true).equals(false)) {
            spec.remark(
                    "autoscale",
                    "group left out: kops excludes the group from autoscalers; remove the field autoscale to import the group");
            return Optional.empty();
        }
        var zones = zones(spec);
        var autoScalingGroup = name + "." + cluster(group, metadata);
        var region = region(group, zones);
        var provider = AwsPlace.group(region, autoScalingGroup);
        var draft = new PoolDraft(group.place(), "InstanceGroup " + name, name, provider, remarks);
        int min = spec.number("minSize").orElse(1);
        draft.between(min, spec.number("maxSize").orElse(Math.max(1, min)));
        spec.text("machineType").ifPresent(draft::size);
        draft.spot(spec.has("maxPrice"));
        MixedInstances.ofKops(spec, draft);
        labels(spec, draft, name, zones);
        draft.label(spec.place("subnets"), "topology.kubernetes.io/region", region);
        spec.texts("taints").forEach(taint -> draft.taint(spec.place("taints"), taint));
        pods(spec, draft);
        protection(spec);
        spec.passOver(OF_THE_MACHINE);
        spec.remarkOnTheRest();
        return Optional.of(draft);
    }

    /**
     * Returns the zones of a group. If the zone of a subnet is unknown, the name of the subnet is used, because kops names subnets after
     * zones by default.
     */
    private NavigableSet<String> zones(TrackedObject spec) {
        var zones = new TreeSet<String>(spec.texts("zones"));
        spec.texts("subnets").forEach(subnet -> zones.add(zoneOfSubnet.getOrDefault(subnet, subnet)));
        zones.removeIf(String::isBlank);
        return zones;
    }

    private String cluster(TrackedObject group, TrackedObject metadata) {
        var known = clusterName
                .or(() -> Optional.ofNullable(metadata.map("labels").get(CLUSTER_LABEL)))
                .or(() -> clusterOfFile);
        if (known.isEmpty()) {
            missing.add(
                    "--cluster-name",
                    "the names of the Auto Scaling groups end with the cluster's name, which the file does not state (%s label %s is missing)"
                            .formatted(group.place(), CLUSTER_LABEL));
        }
        return known.orElse("");
    }

    private String region(TrackedObject group, NavigableSet<String> zones) {
        var known = region.or(() -> AwsPlace.regionOf(zones));
        if (known.isEmpty()) {
            missing.add(
                    "--region",
                    "the AWS region, or add the Cluster to the file, because %s spec.subnets: %s are not zones of one region; %s"
                            .formatted(group.place(), zones, ONLY_AWS));
        }
        return known.orElse("");
    }

    private void labels(TrackedObject spec, PoolDraft draft, String name, NavigableSet<String> zones) {
        spec.map("nodeLabels").forEach((key, value) -> draft.label(spec.place("nodeLabels"), key, value));
        draft.label(spec.place(), "kops.k8s.io/instancegroup", name);
        spec.text("machineType")
                .filter(type -> !spec.has("mixedInstancesPolicy"))
                .ifPresent(type -> draft.label(spec.place("machineType"), "node.kubernetes.io/instance-type", type));
        if (zones.size() == 1 && AwsPlace.isZone(zones.first())) {
            draft.label(spec.place("subnets"), "topology.kubernetes.io/zone", zones.first());
        }
        GroupTags.read(spec.map("cloudLabels"), draft, tag -> spec.place("cloudLabels") + "." + tag, remarks);
    }

    /**
     * Sets the number of pods per machine: {@code maxPods}, or the kubelet's default of 110. AWS' network plugin gives a machine few
     * addresses for pods. With this plugin and without {@code maxPods}, the number is taken from the table of machine sizes.
     */
    private void pods(TrackedObject spec, PoolDraft draft) {
        var kubelet = spec.section("kubelet");
        var most = kubelet.text("maxPods");
        var place = kubelet.place("maxPods");
        most.or(() -> addressesFromTheNetwork ? Optional.empty() : Optional.of("110"))
                .ifPresent(number -> draft.allocatable(place, "pods", number));
        List.of("kubeReserved", "systemReserved", "evictionHard").stream()
                .filter(kubelet::has)
                .forEach(member -> kubelet.remark(
                        member,
                        "not imported: the scaler plans without this reservation until a node is usable; if the reservation is large, "
                                + "set spec.promise.allocatable as in `kubectl describe node`"));
    }

    private static void protection(TrackedObject spec) {
        if (!spec.flag("instanceProtection").orElse(false)) {
            spec.remark(
                    "instanceProtection",
                    "not true: AWS may terminate new machines when AWS shrinks or balances the group, until the scaler "
                            + "protects them; set instanceProtection, then `kops update cluster`");
        }
        var suspended = spec.texts("suspendProcesses");
        if (!suspended.contains("AZRebalance") && spec.texts("subnets").size() > 1) {
            spec.remark(
                    "suspendProcesses",
                    "AZRebalance is not suspended, so AWS may move machines between zones while training runs on them; add AZRebalance to this list");
        }
    }
}
