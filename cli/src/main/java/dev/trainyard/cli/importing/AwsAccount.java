package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.cloud.aws.Discovery.Found;
import dev.trainyard.cloud.aws.Discovery.Proposal;
import dev.trainyard.cloud.aws.Discovery.Skipped;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import java.util.Objects;
import java.util.stream.Collectors;

/** A converter of a cluster's Auto Scaling groups, as read from AWS, to pools. */
final class AwsAccount {

    private AwsAccount() {}

    static Imported read(Found found, ImportRemarks remarks) {
        found.skipped().forEach(skipped -> skip(skipped, remarks));
        var pools =
                found.proposals().stream().map(group -> pool(group, remarks)).toList();
        return new Imported(pools, DriverMode.NONE);
    }

    private static void skip(Skipped skipped, ImportRemarks remarks) {
        remarks.add(
                place(skipped.group()), "", "left out: " + skipped.reason() + TroubleshootingTopic.GROUP_SKIPPED.see());
    }

    private static PoolDraft pool(Proposal group, ImportRemarks remarks) {
        var place = place(group.group());
        var draft = new PoolDraft(place, place, group.pool(), AwsPlace.group(group.region(), group.group()), remarks);
        draft.spot(group.capacityType() == CapacityType.SPOT);
        draft.between(group.min(), group.max());
        sizes(group, place, draft, remarks);
        group.labels().forEach((key, value) -> draft.label(place, key, value));
        group.taints()
                .forEach(taint -> draft.taint(
                        place,
                        "%s=%s:%s"
                                .formatted(
                                        taint.key(), Objects.requireNonNullElse(taint.value(), ""), taint.effect())));
        group.resources().forEach((resource, amount) -> draft.allocatable(place, resource, amount));
        group.remarks().forEach(remark -> remarks.add(place, "", remark));
        if (!group.selectors().isEmpty()) {
            remarks.add(
                    place,
                    "",
                    ("the pool does not promise these labels, which old autoscalers matched: %s; if `kubectl get nodes "
                                    + "--show-labels` shows such a label, add the label to spec.promise.labels")
                            .formatted(group.selectors().entrySet().stream()
                                    .map(label -> label.getKey() + "=" + label.getValue())
                                    .collect(Collectors.joining(", "))));
        }
        return draft;
    }

    private static void sizes(Proposal group, String place, PoolDraft draft, ImportRemarks remarks) {
        var types = group.instanceTypes().stream().distinct().toList();
        if (types.size() > 1) {
            var policy = JsonNodeFactory.instance.objectNode();
            types.forEach(policy.putArray("instance types")::add);
            MixedInstances.sizes(new TrackedObject(place + ":", policy, remarks), "instance types", types, draft);
        } else {
            types.forEach(draft::size);
        }
    }

    private static String place(String group) {
        return "Auto Scaling group " + group;
    }
}
