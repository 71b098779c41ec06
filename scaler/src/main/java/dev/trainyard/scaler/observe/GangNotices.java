package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.tier.Tier;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The notices on machines of other members of a pod's gang. A training with all-reduce stops when it loses one member, so all members leave
 * together if the tier of the member under notice says so.
 */
final class GangNotices {

    private GangNotices() {}

    /**
     * Returns the most urgent notice that each pod gets from its gang, by pod UID. A notice that a new gang does not heed hides no later one.
     * Only members that a controller creates again are included, on nodes of pools. For a member that stays although another one's machine is
     * broken, the machine counts as broken, but not replaced now.
     */
    static Map<String, NodeNotice> of(
            List<NodeView> nodes, Collection<Pod> pods, Map<String, Tier> tiers, StayingPods staying) {
        boolean concerned = tiers.values().stream().anyMatch(Tier::gangsLeaveTogether)
                && nodes.stream().anyMatch(node -> node.notice().isPresent());
        if (!concerned) {
            return Map.of();
        }
        var members = GangMember.of(nodes, pods).stream()
                .filter(member -> PodReading.controller(member.pod()).isPresent())
                .toList();
        var announced = new HashMap<String, List<GangMember.Announcement>>();
        for (var member : members) {
            member.announcement(tiers)
                    .ifPresent(announcement -> announced
                            .computeIfAbsent(member.gang(), gang -> new ArrayList<>())
                            .add(announcement));
        }
        var notices = new HashMap<String, NodeNotice>();
        for (var member : members) {
            announced.getOrDefault(member.gang(), List.of()).stream()
                    .filter(announcement -> announcement.concerns(member))
                    .map(GangMember.Announcement::notice)
                    .min(NodeNotice.BY_URGENCY)
                    .map(notice ->
                            notice.isSick() && staying.reason(member.onNode()).isPresent() ? notice.later() : notice)
                    .ifPresent(notice -> notices.put(member.onNode().uid(), notice));
        }
        return notices;
    }
}
