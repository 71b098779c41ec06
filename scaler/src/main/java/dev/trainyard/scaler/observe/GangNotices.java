package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.tier.Tier;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The notices on machines of other members of a pod's gang. A training with all-reduce stops when it loses one member, so all members leave
 * together if the tier of the member under notice says so.
 */
final class GangNotices {

    private static final Comparator<NodeNotice> MOST_URGENT =
            Comparator.comparing(NodeNotice::kind).thenComparing(NodeNotice::deadline);

    private record Member(Pod pod, PodOnNode onNode, NodeView node, String gang) {}

    private GangNotices() {}

    /**
     * Returns the most urgent notice that each pod gets from its gang, by pod UID. Only members that a controller creates again are
     * included, on nodes of pools.
     */
    static Map<String, NodeNotice> of(List<NodeView> nodes, Collection<Pod> pods, Map<String, Tier> tiers) {
        boolean concerned = tiers.values().stream().anyMatch(Tier::gangsLeaveTogether)
                && nodes.stream().anyMatch(node -> node.notice().isPresent());
        if (!concerned) {
            return Map.of();
        }
        var members = members(nodes, pods);
        var announced = new HashMap<String, NodeNotice>();
        for (var member : members) {
            var tier = member.onNode().shape().map(PodShape::tier).map(tiers::get);
            if (tier.filter(Tier::gangsLeaveTogether).isPresent()) {
                member.node()
                        .notice()
                        .filter(notice -> notice.kind() != NodeNotice.Kind.OUTLIVED)
                        .ifPresent(notice -> announced.merge(
                                member.gang(), notice, (a, b) -> MOST_URGENT.compare(a, b) <= 0 ? a : b));
            }
        }
        var notices = new HashMap<String, NodeNotice>();
        for (var member : members) {
            Optional.ofNullable(announced.get(member.gang()))
                    .filter(notice -> PodReading.created(member.pod()).isBefore(beginning(notice)))
                    .ifPresent(notice -> notices.put(member.onNode().uid(), notice));
        }
        return notices;
    }

    private static List<Member> members(List<NodeView> nodes, Collection<Pod> pods) {
        var placed = new HashMap<String, NodeView>();
        var views = new HashMap<String, PodOnNode>();
        for (var node : nodes) {
            if (node.pool().isPresent()) {
                node.trainingPods().forEach(pod -> {
                    placed.put(pod.uid(), node);
                    views.put(pod.uid(), pod);
                });
            }
        }
        var members = new ArrayList<Member>();
        for (var pod : pods) {
            var uid = String.valueOf(pod.getMetadata().getUid());
            var node = placed.get(uid);
            var view = views.get(uid);
            // A nominated pod has no node yet.
            if (node != null
                    && view != null
                    && PodReading.nodeName(pod) != null
                    && PodReading.controller(pod).isPresent()) {
                GangMark.of(pod.getMetadata())
                        .filter(mark -> mark.malformed().isEmpty())
                        .map(GangMark::gang)
                        .ifPresent(gang -> members.add(new Member(pod, view, node, gang)));
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
