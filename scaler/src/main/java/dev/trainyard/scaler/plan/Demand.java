package dev.trainyard.scaler.plan;

import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.scaler.observe.WaitingPod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;

/** Waiting pods that are the same to the planner, the oldest first. */
record Demand(PodShape shape, int priority, boolean ours, List<WaitingPod> pods) {

    private record Key(PodShape shape, int priority, boolean ours) {}

    private static final Comparator<WaitingPod> OLDEST = Comparator.comparing(WaitingPod::since)
            .thenComparing(WaitingPod::toString)
            .thenComparing(WaitingPod::uid);

    /** Folds pods together. */
    static List<Demand> of(List<WaitingPod> waiting) {
        var folded = new LinkedHashMap<Key, List<WaitingPod>>();
        waiting.stream()
                .sorted(OLDEST)
                .forEach(pod -> folded.computeIfAbsent(
                                new Key(pod.shape(), pod.priority(), pod.ours()), key -> new ArrayList<>())
                        .add(pod));
        return folded.entrySet().stream()
                .map(entry -> new Demand(
                        entry.getKey().shape(),
                        entry.getKey().priority(),
                        entry.getKey().ours(),
                        List.copyOf(entry.getValue())))
                .toList();
    }

    /** By priority; then what is hardest to place: many GPUs, much else; then by age. */
    static Comparator<Demand> hardestFirst() {
        return Comparator.comparingInt(Demand::priority)
                .thenComparingLong(demand -> demand.shape.gpus())
                .thenComparingLong(demand -> demand.shape.requests().get(ResourceNames.CPU))
                .thenComparingLong(demand -> demand.shape.requests().get(ResourceNames.MEMORY))
                .reversed()
                .thenComparing(Demand::oldest)
                .thenComparing(demand -> demand.pods.get(0).toString());
    }

    Instant oldest() {
        return pods.get(0).since();
    }

    /** Whom it is for, in words. */
    String whom() {
        return shape.tier() == null ? "pods of no tier" : "tier " + shape.tier();
    }
}
