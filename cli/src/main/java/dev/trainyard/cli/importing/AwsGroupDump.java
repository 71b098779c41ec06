package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A reader of Auto Scaling groups as {@code aws autoscaling describe-auto-scaling-groups} lists them. Most groups only name a template for
 * their machines. The templates are read from the output of {@code aws autoscaling describe-launch-configurations} and
 * {@code aws ec2 describe-launch-template-versions}.
 */
final class AwsGroupDump {

    private static final List<String> CONTROL_PLANE =
            List.of("k8s.io/role/master", "k8s.io/role/control-plane", "k8s.io/role/bastion", "k8s.io/role/apiserver");

    /** The names of node labels, by the names of tags with the same values. kops and EKS set both the tag and the label. */
    private static final Map<String, String> LABELS_BY_TAG = Map.of(
            "kops.k8s.io/instancegroup", "kops.k8s.io/instancegroup",
            "eks:nodegroup-name", "eks.amazonaws.com/nodegroup");

    private final ImportRemarks remarks;
    private final Map<String, Template> templates = new HashMap<>();

    /** The machines of a launch template or launch configuration. */
    private record Template(Optional<String> size, boolean spot) {}

    private AwsGroupDump(ImportRemarks remarks) {
        this.remarks = remarks;
    }

    static boolean isDump(JsonNode json) {
        return json.has("AutoScalingGroups") || json.has("LaunchConfigurations") || json.has("LaunchTemplateVersions");
    }

    /** @param dumps the files with their contents */
    static List<CloudGroup> read(List<AutoscalerImport.Dump> dumps, ImportRemarks remarks) {
        var reader = new AwsGroupDump(remarks);
        dumps.forEach(dump -> reader.templates(dump.json()));
        var groups = new ArrayList<CloudGroup>();
        dumps.forEach(dump -> new TrackedObject(dump.file() + ":", dump.json(), remarks)
                .sections("AutoScalingGroups")
                .forEach(group -> reader.group(group).ifPresent(groups::add)));
        return groups;
    }

    private void templates(JsonNode json) {
        for (var configuration : json.path("LaunchConfigurations")) {
            templates.put(
                    configuration.path("LaunchConfigurationName").asText(),
                    new Template(text(configuration, "InstanceType"), configuration.hasNonNull("SpotPrice")));
        }
        for (var version : json.path("LaunchTemplateVersions")) {
            var data = version.path("LaunchTemplateData");
            var template = new Template(
                    text(data, "InstanceType"),
                    data.path("InstanceMarketOptions")
                            .path("MarketType")
                            .asText()
                            .equals("spot"));
            for (var key : List.of("LaunchTemplateName", "LaunchTemplateId")) {
                templates.put(
                        version.path(key).asText() + ":"
                                + version.path("VersionNumber").asText(),
                        template);
                if (version.path("DefaultVersion").asBoolean()) {
                    templates.put(version.path(key).asText() + ":$Default", template);
                }
                // The latest version is listed first.
                templates.putIfAbsent(version.path(key).asText() + ":$Latest", template);
            }
        }
    }

    private static Optional<String> text(JsonNode node, String member) {
        return Optional.of(node.path(member).asText("")).filter(text -> !text.isEmpty());
    }

    private Optional<CloudGroup> group(TrackedObject group) {
        var name = group.text("AutoScalingGroupName").orElse("");
        var tags = new TreeMap<String, String>();
        group.sections("Tags")
                .forEach(tag ->
                        tags.put(tag.text("Key").orElse(""), tag.text("Value").orElse("")));
        if (CONTROL_PLANE.stream().anyMatch(tags::containsKey)) {
            group.remark("AutoScalingGroupName", "group left out: its tags do not mark a group of workers");
            return Optional.empty();
        }
        var zones = new TreeSet<String>(group.texts("AvailabilityZones"));
        var region = AwsPlace.regionOf(zones);
        if (name.isEmpty() || region.isEmpty()) {
            remarks.add(
                    group.place(),
                    name,
                    "group left out: AutoScalingGroupName is missing, or AvailabilityZones are not zones of one region");
            return Optional.empty();
        }
        var draft = new PoolDraft(
                group.place(), "Auto Scaling group " + name, name, AwsPlace.group(region.get(), name), remarks);
        draft.between(group.number("MinSize").orElse(0), group.number("MaxSize").orElse(0));
        machines(group, draft);
        labels(group, draft, tags, zones);
        draft.label(group.place("AvailabilityZones"), "topology.kubernetes.io/region", region.get());
        protection(group, zones);
        return Optional.of(new CloudGroup(name, draft, tags, belongsToACluster(tags)));
    }

    private void machines(TrackedObject group, PoolDraft draft) {
        var policy = group.section("MixedInstancesPolicy");
        var ofPolicy = policy.section("LaunchTemplate");
        var template = template(
                group.has("MixedInstancesPolicy")
                        ? ofPolicy.section("LaunchTemplateSpecification")
                        : group.section("LaunchTemplate"),
                group);
        template.ifPresent(found -> draft.spot(found.spot()));
        var names = new LinkedHashSet<String>();
        ofPolicy.sections("Overrides").forEach(item -> item.text("InstanceType").ifPresent(names::add));
        if (names.isEmpty()) {
            template.flatMap(Template::size).ifPresent(names::add);
        }
        if (names.isEmpty()) {
            group.sections("Instances").stream()
                    .flatMap(instance -> instance.text("InstanceType").stream())
                    .forEach(names::add);
        }
        if (names.isEmpty()) {
            group.remark(
                    "AutoScalingGroupName",
                    "the size and the capacity type of the group's machines are unknown: add the output of `aws ec2 "
                            + "describe-launch-template-versions` or `aws autoscaling describe-launch-configurations` to the files");
        }
        if (names.size() > 1) {
            MixedInstances.sizes(ofPolicy, "Overrides", List.copyOf(names), draft);
        } else {
            names.forEach(size -> {
                draft.size(size);
                draft.label(group.place(), "node.kubernetes.io/instance-type", size);
            });
        }
        ofPolicy.sections("Overrides").stream()
                .filter(item -> !item.text("WeightedCapacity").orElse("1").equals("1"))
                .findFirst()
                .ifPresent(
                        item -> item.remark(
                                "WeightedCapacity",
                                "the scaler refuses the pool while a machine may count as more than one: remove the weights from the group"));
        var distribution = policy.section("InstancesDistribution");
        MixedInstances.share(
                distribution,
                distribution.number("OnDemandBaseCapacity"),
                distribution.number("OnDemandPercentageAboveBaseCapacity"),
                "OnDemandPercentageAboveBaseCapacity",
                draft);
    }

    private Optional<Template> template(TrackedObject reference, TrackedObject group) {
        var version = reference.text("Version").orElse("$Default");
        return reference
                .text("LaunchTemplateName")
                .map(name -> templates.get(name + ":" + version))
                .or(() -> reference.text("LaunchTemplateId").map(id -> templates.get(id + ":" + version)))
                .or(() -> group.text("LaunchConfigurationName").map(templates::get));
    }

    private void labels(
            TrackedObject group, PoolDraft draft, SortedMap<String, String> tags, NavigableSet<String> zones) {
        LABELS_BY_TAG.forEach((tag, label) -> {
            if (tags.containsKey(tag)) {
                draft.label(group.place("Tags") + " " + tag, label, String.valueOf(tags.get(tag)));
            }
        });
        if (zones.size() == 1) {
            draft.label(group.place("AvailabilityZones"), "topology.kubernetes.io/zone", zones.first());
        }
        GroupTags.read(tags, draft, tag -> group.place("Tags") + " " + tag, remarks);
    }

    private static void protection(TrackedObject group, NavigableSet<String> zones) {
        if (!group.flag("NewInstancesProtectedFromScaleIn").orElse(false)) {
            group.remark(
                    "NewInstancesProtectedFromScaleIn",
                    "AWS may terminate new machines when AWS shrinks or balances the group, until the scaler protects "
                            + "them; enable protection with `aws autoscaling update-auto-scaling-group "
                            + "--new-instances-protected-from-scale-in`");
        }
        boolean suspended = group.sections("SuspendedProcesses").stream()
                .anyMatch(process -> process.text("ProcessName").orElse("").equals("AZRebalance"));
        if (zones.size() > 1 && !suspended) {
            group.remark(
                    "SuspendedProcesses",
                    "AZRebalance is not suspended, so AWS may move machines between zones while training runs on them; "
                            + "suspend AZRebalance with `aws autoscaling suspend-processes`");
        }
    }

    private static boolean belongsToACluster(SortedMap<String, String> tags) {
        return tags.keySet().stream()
                .anyMatch(tag -> tag.equals("KubernetesCluster")
                        || tag.startsWith("kubernetes.io/cluster/")
                        || tag.startsWith("k8s.io/cluster-autoscaler/")
                        || tag.startsWith("k8s.io/role/")
                        || tag.startsWith("eks:"));
    }
}
