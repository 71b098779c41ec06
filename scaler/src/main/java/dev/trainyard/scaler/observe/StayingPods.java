package dev.trainyard.scaler.observe;

import dev.trainyard.core.tier.Tier;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The pods that stay although their machines are broken, or that of a member of their gang. They must not be interrupted, or their
 * disruption budgets allow no eviction. If the members of a gang leave together, all of them stay unless all can leave.
 *
 * @param reasons by pod UID, why the pod stays, as text
 */
public record StayingPods(Map<String, String> reasons) {

    public static final StayingPods NONE = new StayingPods(Map.of());

    public StayingPods {
        reasons = Map.copyOf(reasons);
    }

    /** Returns why the pod stays; empty if it can be evicted now, or is being deleted. */
    public Optional<String> reason(PodOnNode pod) {
        return Optional.ofNullable(reasons.get(pod.uid()));
    }

    /** @param pods all pods, on nodes and pending */
    static StayingPods of(
            List<NodeView> nodes,
            Collection<Pod> pods,
            Map<String, Tier> tiers,
            List<DisruptionBudget> budgets,
            Instant now) {
        if (nodes.stream().noneMatch(NodeView::isSick)) {
            return NONE;
        }
        var refused = DisruptionBudget.refused(budgets);
        var reasons = new HashMap<String, String>();
        for (var node : nodes) {
            if (node.isSick()) {
                node.trainingPods()
                        .forEach(pod -> reason(pod, refused, now).ifPresent(why -> reasons.put(pod.uid(), why)));
            }
        }
        if (tiers.values().stream().anyMatch(Tier::gangsLeaveTogether)) {
            var gangs = new HashMap<String, List<GangMember>>();
            GangMember.of(nodes, pods)
                    .forEach(member -> gangs.computeIfAbsent(member.gang(), gang -> new ArrayList<>())
                            .add(member));
            gangs.values().forEach(members -> {
                var together = together(members, tiers);
                reason(together, refused, budgets, now)
                        .ifPresent(why -> together.forEach(pod -> reasons.putIfAbsent(
                                pod.onNode().uid(),
                                "pod %s leaves only with its gang: %s".formatted(pod.onNode(), why))));
            });
        }
        return new StayingPods(reasons);
    }

    private static Optional<String> reason(PodOnNode pod, Set<String> refused, Instant now) {
        if (pod.terminating()) {
            return Optional.empty();
        }
        // Kubernetes evicts a pod that has not started, whatever its budgets allow.
        return pod.blocker(now)
                .map(blocker -> "pod %s must not be interrupted: %s".formatted(pod, blocker))
                .or(() -> pod.started() && refused.contains(pod.uid())
                        ? Optional.of("the disruption budgets of pod %s allow no eviction".formatted(pod))
                        : Optional.empty());
    }

    /** Returns the members of one gang that leave together because the machine of one of them is broken, without those that are leaving. */
    private static List<GangMember> together(List<GangMember> members, Map<String, Tier> tiers) {
        var announcements = members.stream()
                .filter(member -> member.node().isSick())
                .flatMap(member -> member.announcement(tiers).stream())
                .toList();
        return members.stream()
                .filter(member -> !member.onNode().terminating()
                        && announcements.stream().anyMatch(announcement -> announcement.concerns(member)))
                .toList();
    }

    /** Returns why these members of a gang cannot all leave now, as text; empty if they can. */
    private static Optional<String> reason(
            List<GangMember> together, Set<String> refused, List<DisruptionBudget> budgets, Instant now) {
        return together.stream()
                .flatMap(member -> Stream.concat(
                        reason(member.onNode(), refused, now).stream(),
                        member
                                .node()
                                .exempt()
                                .map(why -> "node %s of pod %s must not be emptied: %s"
                                        .formatted(member.node().name(), member.onNode(), why))
                                .stream()))
                .findFirst()
                .or(() -> budgets.stream()
                        .filter(budget -> budget.allowed() < guarded(together, budget))
                        .map(budget -> "disruption budget %s allows %d of the %d evictions"
                                .formatted(budget, budget.allowed(), guarded(together, budget)))
                        .findFirst());
    }

    private static long guarded(List<GangMember> members, DisruptionBudget budget) {
        return members.stream()
                .map(GangMember::onNode)
                .filter(pod -> pod.started() && budget.guards(pod.uid()))
                .count();
    }
}
