package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.tier.Tier;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The notices on machines of other members of a pod's gang. A training with all-reduce stops when it loses one member, so all members leave
 * together if the tier of the member under notice says so.
 */
final class GangNotices {

    private record Member(Pod pod, PodOnNode onNode, NodeView node, String gang) {}

    private GangNotices() {}

    /**
     * Returns the most urgent notice that each pod gets from its gang, by pod UID. A notice that a new gang does not heed hides no later one.
     * Only members that a controller creates again are included, on nodes of pools.
     */
    static Map<String, NodeNotice> of(List<NodeView> nodes, Collection<Pod> pods, Map<String, Tier> tiers) {
        boolean concerned = tiers.values().stream().anyMatch(Tier::gangsLeaveTogether)
                && nodes.stream().anyMatch(node -> node.notice().isPresent());
        if (!concerned) {
            return Map.of();
        }
        var members = members(nodes, pods);
        var announced = new HashMap<String, List<NodeNotice>>();
        for (var member : members) {
            var tier = member.onNode().shape().map(PodShape::tier).map(tiers::get);
            if (tier.filter(Tier::gangsLeaveTogether).isPresent()) {
                member.node()
                        .notice()
                        .filter(notice -> notice.isReclaim()
                                || notice.kind() == NodeNotice.Kind.LATER_RECLAIM
                                || notice.kind() == NodeNotice.Kind.CHECKPOINT)
                        .ifPresent(notice -> announced
                                .computeIfAbsent(member.gang(), gang -> new ArrayList<>())
                                .add(notice));
            }
        }
        var notices = new HashMap<String, NodeNotice>();
        for (var member : members) {
            announced.getOrDefault(member.gang(), List.of()).stream()
                    .filter(notice -> PodReading.created(member.pod()).isBefore(beginning(notice)))
                    .min(NodeNotice.BY_URGENCY)
                    .ifPresent(notice -> notices.put(member.onNode().uid(), notice));
        }
        return notices;
    }

    private static List<Member> members(List<NodeView> nodes, Collection<Pod> pods) {
        var byUid = new HashMap<String, Pod>();
        pods.forEach(pod -> byUid.put(pod.getMetadata().getUid(), pod));
        var members = new ArrayList<Member>();
        for (var node : nodes) {
            for (var view : node.pool().isPresent() ? node.trainingPods() : List.<PodOnNode>of()) {
                Optional.ofNullable(byUid.get(view.uid()))
                        // A nominated pod has no node yet.
                        .filter(pod -> PodReading.nodeName(pod) != null)
                        .filter(pod -> PodReading.controller(pod).isPresent())
                        .ifPresent(pod -> GangMark.of(pod.getMetadata())
                                .filter(mark -> mark.malformed().isEmpty())
                                .map(GangMark::gang)
                                .ifPresent(gang -> members.add(new Member(pod, view, node, gang))));
            }
        }
        return members;
    }

    /**
     * Returns when pods began to leave because of the notice. Later pods belong to the new gang, which stays. Times of Kubernetes have whole
     * seconds.
     */
    private static Instant beginning(NodeNotice notice) {
        var near = notice.deadline().minus(NodeNotice.NEAR);
        return (notice.isReclaim() && near.isAfter(notice.since()) ? near : notice.since())
                .truncatedTo(ChronoUnit.SECONDS);
    }
}
