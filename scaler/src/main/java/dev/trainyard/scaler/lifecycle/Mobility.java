package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.scaler.observe.Deadlines;
import dev.trainyard.scaler.observe.DisruptionBudget;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PodRelationsIndex;
import dev.trainyard.scaler.observe.PodRelationsIndex.Neighbour;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The rules for which pods may be moved off intact machines. {@link RelocationPlan} decides where the pods of little-used machines fit. Each
 * machine that is chosen to be emptied reduces the evictions that disruption budgets still allow. Not thread-safe; used for one round.
 */
final class Mobility {

    /**
     * A reason why a pod cannot be moved.
     *
     * @param until when the reason may end; empty if time alone does not end the reason
     */
    record Obstacle(String reason, Optional<Instant> until) {}

    private final Instant now;
    private final Map<String, Tier> tiers;
    private final PodRelationsIndex neighbours;
    private final Deadlines deadlines;
    private final Map<String, List<DisruptionBudget>> byPod = new HashMap<>();
    private final Map<DisruptionBudget, Integer> left = new HashMap<>();

    Mobility(Snapshot snapshot) {
        this.now = snapshot.now();
        this.tiers = snapshot.catalogue().tiers();
        this.neighbours = snapshot.neighbours();
        this.deadlines = snapshot.deadlines();
        for (var budget : snapshot.budgets()) {
            left.put(budget, budget.allowed());
            budget.pods()
                    .forEach(pod ->
                            byPod.computeIfAbsent(pod, uid -> new ArrayList<>()).add(budget));
        }
    }

    /** Returns why the pods of a little-used machine cannot all leave now; empty if they can. */
    Optional<Obstacle> obstacle(List<PodOnNode> pods, Pool pool) {
        return obstacle(pods, pod -> young(pod, pool));
    }

    /** Returns why the pods of a machine cannot all leave now, however long they have been there; empty if they can. */
    Optional<Obstacle> obstacle(List<PodOnNode> pods) {
        return obstacle(pods, pod -> Optional.empty());
    }

    private Optional<Obstacle> obstacle(List<PodOnNode> pods, Function<PodOnNode, Optional<Obstacle>> byAge) {
        return pods.stream()
                .flatMap(pod -> blocked(pod).or(() -> byAge.apply(pod)).or(() -> tied(pod)).stream())
                .findFirst()
                .or(() -> pods.stream()
                        .flatMap(pod -> budgetsOf(pod).stream())
                        .distinct()
                        .filter(budget -> Math.max(0, left(budget)) < count(pods, budget))
                        .findFirst()
                        .map(budget -> new Obstacle(
                                "disruption budget %s allows the eviction of %d pods, but %d of its pods are on the node"
                                        .formatted(budget, Math.max(0, left(budget)), count(pods, budget)),
                                Optional.empty())));
    }

    /** Reduces the evictions that the disruption budgets of these pods still allow, since the pods will be evicted. */
    void leave(List<PodOnNode> pods) {
        pods.forEach(pod -> budgetsOf(pod).stream()
                .filter(budget -> budget.guards(pod.uid()))
                .forEach(budget -> left.merge(budget, -1, Integer::sum)));
    }

    private Optional<Obstacle> blocked(PodOnNode pod) {
        return pod.blocker(now)
                .map(blocker -> new Obstacle(
                        "pod %s must not be interrupted: %s".formatted(pod, blocker),
                        pod.interruption().sheltered().filter(now::isBefore)))
                .or(() -> late(pod));
    }

    private Optional<Obstacle> late(PodOnNode pod) {
        return deadlines
                .of(pod.uid())
                .filter(policy -> !policy.mayMove(now))
                .map(policy -> new Obstacle(
                        "pod %s is not moved: its training could miss its deadline, %s"
                                .formatted(pod, policy.stated().at()),
                        Optional.empty()));
    }

    private Optional<Obstacle> young(PodOnNode pod, Pool pool) {
        var grace = PoolView.after(pod.scheduled(), pool.drainGrace());
        return now.isBefore(grace)
                ? Optional.of(new Obstacle(
                        "pod %s is not moved for the first %s on its node (spec.scaleDown.drainGrace), until %s"
                                .formatted(pod, Durations.format(pool.drainGrace()), grace),
                        Optional.of(grace)))
                : Optional.empty();
    }

    private Optional<Obstacle> tied(PodOnNode pod) {
        return notResumable(pod, tiers)
                .or(() -> pod.interruption().tie())
                .or(() -> unmodelled(pod))
                .or(() -> manyBudgets(pod))
                .map(why -> new Obstacle("pod %s is not moved: %s".formatted(pod, why), Optional.empty()));
    }

    /**
     * Returns why a pod may not be moved because it is not resumable (an interruption may lose its work); empty if the pod is resumable. An
     * annotation or label of the pod overrides the setting of its tier.
     */
    static Optional<String> notResumable(PodOnNode pod, Map<String, Tier> tiers) {
        var tier = pod.shape().map(PodShape::tier);
        boolean resumable = pod.interruption()
                .resumable()
                .orElseGet(() -> tier.map(tiers::get).map(Tier::resumable).orElse(false));
        return resumable
                ? Optional.empty()
                : Optional.of("it is not marked as resumable; set %s: \"true\" on the pod%s to let the pod be moved"
                        .formatted(
                                Names.RESUMABLE,
                                tier.filter(tiers::containsKey)
                                        .map(name -> ", or spec.resumable: true on its tier %s,".formatted(name))
                                        .orElse("")));
    }

    private Optional<String> unmodelled(PodOnNode pod) {
        if (!neighbours.of(pod.uid()).equals(Neighbour.STRANGER)) {
            return Optional.of("inter-pod constraints of this pod or of other pods limit its placement");
        }
        return pod.shape()
                .map(shape -> shape.unmodelled())
                .filter(constraints -> !constraints.isEmpty())
                .map(constraints -> "the scaler does not know where it fits, because of its %s"
                        .formatted(String.join(", ", constraints)));
    }

    /**
     * Returns why a pod with several disruption budgets is not moved: the API server refuses to evict such a pod, whatever the budgets
     * allow.
     */
    private Optional<String> manyBudgets(PodOnNode pod) {
        var budgets = budgetsOf(pod);
        return budgets.size() < 2
                ? Optional.empty()
                : Optional.of("it has more than one disruption budget, such as %s and %s; Kubernetes supports only one"
                        .formatted(budgets.get(0), budgets.get(1)));
    }

    private List<DisruptionBudget> budgetsOf(PodOnNode pod) {
        return byPod.getOrDefault(pod.uid(), List.of());
    }

    private int left(DisruptionBudget budget) {
        return left.getOrDefault(budget, 0);
    }

    private static int count(List<PodOnNode> pods, DisruptionBudget budget) {
        return (int) pods.stream().filter(pod -> budget.guards(pod.uid())).count();
    }
}
