package dev.trainyard.scaler.observe;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
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

    /**
     * @param pods all pods, on nodes and pending
     * @param isRead whether a pool was read from its cloud
     */
    static StayingPods of(
            List<NodeView> nodes,
            Collection<Pod> pods,
            Map<String, Tier> tiers,
            List<DisruptionBudget> budgets,
            Predicate<Pool> isRead,
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
            var gangs = new Gangs(GangMember.of(nodes, pods), tiers, budgets, refused, now, reasons);
            SickNodes.inTurn(nodes, isRead).forEach(gangs::visit);
            // The scaler does not replace the other broken machines now, so they come last.
            nodes.stream().filter(NodeView::isSick).forEach(gangs::visit);
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

    /**
     * Decides for one gang after the other whether all its members can leave now. What leaves reduces the evictions that disruption budgets
     * still allow, so that gangs with a common budget do not lose one half each. Not thread-safe; used for one round.
     */
    private static final class Gangs {

        private final Map<String, List<GangMember>> byName = new HashMap<>();
        private final Map<String, String> names = new HashMap<>();
        private final Map<String, Tier> tiers;
        private final Set<String> refused;
        private final Instant now;
        private final Map<String, String> reasons;
        private final Map<DisruptionBudget, Long> left = new LinkedHashMap<>();
        private final Map<DisruptionBudget, Long> reserved = new HashMap<>();
        private final Set<String> visited = new HashSet<>();

        /** @param reasons why pods stay, by UID; reasons are added */
        Gangs(
                List<GangMember> members,
                Map<String, Tier> tiers,
                List<DisruptionBudget> budgets,
                Set<String> refused,
                Instant now,
                Map<String, String> reasons) {
            members.forEach(member -> {
                byName.computeIfAbsent(member.gang(), gang -> new ArrayList<>()).add(member);
                names.put(member.onNode().uid(), member.gang());
            });
            budgets.forEach(budget -> left.put(budget, (long) budget.allowed()));
            this.tiers = tiers;
            this.refused = refused;
            this.now = now;
            this.reasons = reasons;
        }

        /** Visits the pods of a broken machine, with their gangs. */
        void visit(NodeView node) {
            for (var pod : node.trainingPods()) {
                Optional.ofNullable(names.get(pod.uid())).filter(visited::add).ifPresent(this::visitGang);
                if (visited.add(pod.uid()) && !pod.terminating() && !reasons.containsKey(pod.uid())) {
                    visitSingle(pod);
                }
            }
        }

        private void visitGang(String gang) {
            var together = together(byName.getOrDefault(gang, List.of()), tiers).stream()
                    .filter(member -> visited.add(member.onNode().uid()))
                    .toList();
            reason(together)
                    .ifPresentOrElse(
                            why -> together.forEach(member -> reasons.putIfAbsent(
                                    member.onNode().uid(),
                                    "pod %s leaves only with its gang: %s".formatted(member.onNode(), why))),
                            () -> left.replaceAll((budget, count) -> {
                                long evictions = guarded(together, budget);
                                reserved.merge(budget, evictions, Long::sum);
                                return count - evictions;
                            }));
        }

        /** Pods without a gang leave one after the other. They wait only for gangs that leave now. */
        private void visitSingle(PodOnNode pod) {
            left.keySet().stream()
                    .filter(budget -> pod.started() && budget.guards(pod.uid()))
                    .toList()
                    .forEach(budget -> {
                        long gangs = reserved.getOrDefault(budget, 0L);
                        if (gangs > 0 && budget.allowed() <= gangs) {
                            reasons.put(
                                    pod.uid(),
                                    "disruption budget %s allows no eviction of pod %s besides those of gangs"
                                            .formatted(budget, pod));
                        } else {
                            left.merge(budget, -1L, Long::sum);
                        }
                    });
        }

        /** Returns why these members of a gang cannot all leave now, as text; empty if they can. */
        private Optional<String> reason(List<GangMember> together) {
            return together.stream()
                    .flatMap(member -> Stream.concat(
                            StayingPods.reason(member.onNode(), refused, now).stream(),
                            member
                                    .node()
                                    .exempt()
                                    .map(why -> "node %s of pod %s must not be emptied: %s"
                                            .formatted(member.node().name(), member.onNode(), why))
                                    .stream()))
                    .findFirst()
                    .or(() -> left.entrySet().stream()
                            .filter(budget -> Math.max(0, budget.getValue()) < guarded(together, budget.getKey()))
                            .map(budget -> "disruption budget %s allows %d of the %d evictions"
                                    .formatted(
                                            budget.getKey(),
                                            Math.max(0, budget.getValue()),
                                            guarded(together, budget.getKey())))
                            .findFirst());
        }

        private static long guarded(List<GangMember> members, DisruptionBudget budget) {
            return members.stream()
                    .map(GangMember::onNode)
                    .filter(pod -> pod.started() && budget.guards(pod.uid()))
                    .count();
        }
    }
}
