package dev.trainyard.scaler.plan;

import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.scaler.observe.GangMark;
import dev.trainyard.scaler.observe.Neighbours;
import dev.trainyard.scaler.observe.WaitingPod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Waiting pods folded into demands. Names of pods are no part of it, nor labels that no other pod looks at, so that the workers of an Indexed
 * Job or a StatefulSet, each with a number of its own, are one demand.
 *
 * @param axes of all that they ask for
 */
record Folding(List<Demand> demands, Axes axes) {

    /** What pods must have in common. Its hash leaves out what is slow to hash and seldom differs alone. */
    private record Key(
            PodShape shape,
            PodRelations relations,
            int priority,
            boolean ours,
            int patience,
            @Nullable String gang) {
        @Override
        public int hashCode() {
            int hash = shape.requests().hashCode();
            hash = 31 * hash + shape.nodeSelector().hashCode();
            hash = 31 * hash + Objects.hashCode(shape.tier());
            hash = 31 * hash + Objects.hashCode(gang);
            hash = 31 * hash + (relations.equals(PodRelations.NONE) ? 0 : relations.hashCode());
            return 31 * (31 * hash + priority) + patience;
        }
    }

    private record Manner(PodShape shape, boolean gpus) {}

    static Folding of(List<WaitingPod> waiting, Neighbours neighbours, Instant now) {
        var folded = new HashMap<Key, List<WaitingPod>>();
        for (var pod : waiting) {
            folded.computeIfAbsent(key(pod, neighbours, now), key -> new ArrayList<>())
                    .add(pod);
        }
        var axes = Axes.of(
                folded.keySet().stream().map(key -> key.shape().requests()).toList());
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
                    manners.computeIfAbsent(manner, any -> manners.size()),
                    key.priority(),
                    key.ours(),
                    key.patience(),
                    key.gang(),
                    pods));
        });
        return new Folding(demands, axes);
    }

    /** Written out: it is most of the work when there are many pods. */
    private static int byAge(WaitingPod one, WaitingPod other) {
        int order = one.since().compareTo(other.since());
        if (order == 0) {
            order = one.namespace().compareTo(other.namespace());
        }
        if (order == 0) {
            order = one.name().compareTo(other.name());
        }
        return order == 0 ? one.uid().compareTo(other.uid()) : order;
    }

    private static Key key(WaitingPod pod, Neighbours neighbours, Instant now) {
        return new Key(
                pod.shape(),
                neighbours.of(pod.uid()).relations(),
                pod.priority(),
                pod.ours(),
                Patience.of(pod.since(), now),
                pod.gang().map(GangMark::gang).orElse(null));
    }
}
