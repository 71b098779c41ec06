package dev.trainyard.scaler.observe;

import dev.trainyard.core.gang.GangClaim;
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

/** A member of a gang on a node of a pool. */
record GangMember(Pod pod, PodOnNode onNode, NodeView node, String gang) {

    /**
     * A notice on the machine of one member, about which the whole gang learns.
     *
     * @param beginning when pods began to leave because of the notice. Later pods belong to the new gang, which stays
     */
    record Announcement(NodeNotice notice, Instant beginning) {

        boolean concerns(GangMember member) {
            return PodReading.created(member.pod()).isBefore(beginning);
        }
    }

    /** Returns the members of all gangs. Pods whose gang has no valid size, and pods that no controller creates again, are left out. */
    static List<GangMember> of(List<NodeView> nodes, Collection<Pod> pods) {
        var byUid = new HashMap<String, Pod>();
        pods.forEach(pod -> byUid.put(pod.getMetadata().getUid(), pod));
        var members = new ArrayList<GangMember>();
        for (var node : nodes) {
            for (var view : node.pool().isPresent() ? node.trainingPods() : List.<PodOnNode>of()) {
                Optional.ofNullable(byUid.get(view.uid()))
                        // A nominated pod has no node yet.
                        .filter(pod -> PodReading.nodeName(pod) != null
                                && PodReading.controller(pod).isPresent())
                        .ifPresent(pod -> GangClaim.of(pod)
                                .filter(claim -> !(claim instanceof GangClaim.Malformed))
                                .map(GangClaim::group)
                                .ifPresent(gang -> members.add(new GangMember(pod, view, node, gang))));
            }
        }
        return members;
    }

    /** Returns the notice on the member's machine; empty if there is none, or if the member's gang does not leave together. */
    Optional<Announcement> announcement(Map<String, Tier> tiers) {
        return onNode.shape()
                .map(PodShape::tier)
                .map(tiers::get)
                .filter(Tier::gangsLeaveTogether)
                .flatMap(tier -> node.notice())
                .filter(notice -> notice.isReclaim() || notice.asksForCheckpoint())
                .map(notice -> new Announcement(notice, beginning(notice)));
    }

    /** Times of Kubernetes have whole seconds. */
    private Instant beginning(NodeNotice notice) {
        if (notice.isSick()) {
            // A machine may be broken for long before its replacement begins.
            return node.marks()
                    .removal()
                    .filter(removal -> node.isRemovedAsSick())
                    .map(removal -> removal.since().truncatedTo(ChronoUnit.SECONDS))
                    .orElse(Instant.MAX);
        }
        var near = notice.deadline().minus(NodeNotice.NEAR);
        return (notice.isReclaim() && near.isAfter(notice.since()) ? near : notice.since())
                .truncatedTo(ChronoUnit.SECONDS);
    }
}
