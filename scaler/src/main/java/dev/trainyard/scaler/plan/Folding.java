package dev.trainyard.scaler.plan;

import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.Deadlines;
import dev.trainyard.scaler.observe.GangView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PendingPod.Turn;
import dev.trainyard.scaler.observe.PodRelationsIndex;
import dev.trainyard.scaler.observe.ProgressPolicy.Choice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Pending pods that are folded into demands, which are groups of equal pods. The comparison ignores the names of pods, and labels that no
 * inter-pod constraint selects. So the numbered workers of an Indexed Job or a StatefulSet are one demand.
 *
 * @param axes the index of the resources that the pods request
 */
record Folding(List<Demand> demands, ResourceIndex axes) {

    /** The properties that all pods of a demand share. The hash omits properties that are slow to hash and seldom differ alone. */
    private record Key(
            PodShape shape,
            PodRelations relations,
            int priority,
            boolean ours,
            int waitingStep,
            Choice choice,
            @Nullable GangView gang,
            Turn turn) {
        @Override
        public int hashCode() {
            int hash = shape.requests().hashCode();
            hash = 31 * hash + shape.nodeSelector().hashCode();
            hash = 31 * hash + Objects.hashCode(shape.tier());
            hash = 31 * hash + (gang == null ? 0 : gang.key().hashCode());
            hash = 31 * hash + (relations.equals(PodRelations.NONE) ? 0 : relations.hashCode());
            return 31 * (31 * hash + priority) + waitingStep;
        }
    }

    private record Manner(PodShape shape, boolean gpus) {}

    static Folding of(List<PendingPod> waiting, PodRelationsIndex neighbours, Deadlines deadlines, Instant now) {
        var folded = new HashMap<Key, List<PendingPod>>();
        var gangs = choices(waiting, deadlines, now);
        for (var pod : waiting) {
            var choice = choice(pod, gangs, deadlines, now);
            folded.computeIfAbsent(key(pod, neighbours, choice, now), key -> new ArrayList<>())
                    .add(pod);
        }
        var axes = ResourceIndex.of(
                folded.keySet().stream().map(key -> key.shape().requests()).toList());
        var amounts = new HashMap<Resources, Integer>();
        var manners = new HashMap<Manner, Integer>();
        var demands = new ArrayList<Demand>();
        folded.forEach((key, pods) -> {
            pods.sort(Folding::byAge);
            var shape = key.shape();
            var manner = new Manner(shape.withoutRequests(), shape.gpus() > 0);
            demands.add(new Demand(
                    demands.size(),
                    shape,
                    key.relations(),
                    axes.pack(shape.requests()),
                    amounts.computeIfAbsent(shape.requests(), any -> amounts.size()),
                    manners.computeIfAbsent(manner, any -> manners.size()),
                    key.priority(),
                    key.ours(),
                    key.waitingStep(),
                    key.choice(),
                    key.gang(),
                    pods));
        });
        return new Folding(demands, axes);
    }

    /**
     * Returns the choice for a pod. A member that states no deadline waits for spot machines with its gang, but the gang's deadline gives it
     * no on-demand machine first: its tier may not allow that.
     */
    private static Choice choice(PendingPod pod, Map<String, Choice> gangs, Deadlines deadlines, Instant now) {
        var own = deadlines.choice(pod.uid(), now);
        var gang = pod.gang().map(of -> gangs.get(of.key())).orElse(own);
        return gang == Choice.ON_DEMAND_FIRST && deadlines.of(pod.uid()).isEmpty() ? own : gang;
    }

    /**
     * Returns the choice of each gang: the most urgent choice of its members that state a deadline. The plan places all members of a gang or
     * none, so an urgent member must not wait for the others.
     */
    private static Map<String, Choice> choices(List<PendingPod> waiting, Deadlines deadlines, Instant now) {
        var choices = new HashMap<String, Choice>();
        for (var pod : waiting) {
            pod.gang()
                    .ifPresent(of -> deadlines
                            .of(pod.uid())
                            .ifPresent(policy -> choices.merge(
                                    of.key(), policy.choose(now), BinaryOperator.maxBy(Choice::compareTo))));
        }
        return choices;
    }

    /** Compares pods by age, then by name. Uses no {@code Comparator}, for speed: with many pods, sorting is most of the work. */
    private static int byAge(PendingPod one, PendingPod other) {
        int order = one.since().compareTo(other.since());
        if (order == 0) {
            order = one.namespace().compareTo(other.namespace());
        }
        if (order == 0) {
            order = one.name().compareTo(other.name());
        }
        return order == 0 ? one.uid().compareTo(other.uid()) : order;
    }

    private static Key key(PendingPod pod, PodRelationsIndex neighbours, Choice choice, Instant now) {
        return new Key(
                pod.shape(),
                neighbours.of(pod.uid()).relations(),
                pod.priority(),
                pod.ours(),
                WaitingStep.of(pod.since(), now),
                choice,
                pod.gang().orElse(null),
                pod.turn());
    }
}
