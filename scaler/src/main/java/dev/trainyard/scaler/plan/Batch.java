package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.PendingPod.Turn;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * A unit of planning: one {@link Demand} (a group of equal pending pods), or all demands of a gang. The plan places either all pods of a
 * gang or none.
 *
 * @param demands the demands; the one that is hardest to place comes first
 * @param priority the lowest priority of the demands, so that a pod of low priority does not benefit from more important pods of its gang
 * @param waitingStep the highest {@link WaitingStep} of the demands
 * @param gpus how many GPUs each pod of the hardest demand requests
 * @param share the share of a machine that each pod of the hardest demand takes
 * @param pools how many pools the most restricted demand can use
 * @param turn how the gang of the hardest demand starts
 * @param oldest when the oldest pod was created
 * @param name the name of one of the pods, so that no two batches rank equally
 */
record Batch(
        List<Demand> demands,
        int priority,
        int waitingStep,
        long gpus,
        double share,
        int pools,
        Turn turn,
        Instant oldest,
        String name) {

    /**
     * Groups demands into batches.
     *
     * @param share returns the share of a machine that each pod of a demand takes
     * @param pools returns how many pools a demand can use
     */
    static List<Batch> of(List<Demand> demands, ToDoubleFunction<Demand> share, ToIntFunction<Demand> pools) {
        var batches = new ArrayList<Batch>();
        var gangs = new TreeMap<String, List<Batch>>();
        for (var demand : demands) {
            var batch = new Batch(
                    List.of(demand),
                    demand.priority(),
                    demand.waitingStep(),
                    demand.shape().gpus(),
                    share.applyAsDouble(demand),
                    pools.applyAsInt(demand),
                    demand.pods().get(0).turn(),
                    demand.oldest(),
                    demand.pods().get(0).toString());
            var view = demand.gang();
            if (view == null || view.isUnread()) {
                batches.add(batch);
            } else {
                gangs.computeIfAbsent(view.key(), gang -> new ArrayList<>()).add(batch);
            }
        }
        gangs.values().forEach(members -> batches.add(gang(members)));
        return batches;
    }

    private static Batch gang(List<Batch> members) {
        members.sort(hardestFirst());
        var hardest = members.get(0);
        return members.stream()
                .reduce((one, other) -> new Batch(
                        Stream.concat(one.demands.stream(), other.demands.stream())
                                .toList(),
                        Math.min(one.priority, other.priority),
                        Math.max(one.waitingStep, other.waitingStep),
                        hardest.gpus,
                        hardest.share,
                        Math.min(one.pools, other.pools),
                        hardest.turn,
                        one.oldest.isBefore(other.oldest) ? one.oldest : other.oldest,
                        hardest.name))
                .orElseThrow();
    }

    /**
     * Returns an order by {@link #inOrderOfMerit}, then by difficulty (most GPUs, then largest share of a machine), then by age (oldest
     * first).
     */
    static Comparator<Batch> hardestFirst() {
        return inOrderOfMerit()
                .thenComparing(Comparator.comparingLong(Batch::gpus)
                        .thenComparingDouble(Batch::share)
                        .reversed())
                .thenComparing(Batch::oldest)
                .thenComparing(Batch::name);
    }

    /**
     * Returns an order by {@link #inOrderOfMerit}, then by the number of usable pools (fewest first), then as in {@link #hardestFirst}.
     */
    static Comparator<Batch> choosiestFirst() {
        return inOrderOfMerit().thenComparingInt(Batch::pools).thenComparing(hardestFirst());
    }

    /**
     * Returns an order by priority (highest first). The rest of a gang that has started whole comes first, because its other pods wait on
     * paid machines. Then the order is by waiting step (longest first). Gangs that wait to start whole come before other pods of their step,
     * by their age alone, so that small gangs do not delay a large one.
     */
    private static Comparator<Batch> inOrderOfMerit() {
        return Comparator.comparingInt(Batch::priority)
                .thenComparing(batch -> batch.turn == Turn.BEGUN)
                .thenComparingInt(Batch::waitingStep)
                .thenComparing(batch -> batch.turn == Turn.WAITS)
                .reversed()
                .thenComparing(batch -> batch.turn == Turn.WAITS ? batch.oldest : Instant.EPOCH);
    }

    /** Returns the gang's name in messages; empty for pods without a gang. */
    String gangName() {
        var gang = demands.get(0).gang();
        return gang == null ? "" : gang.name();
    }

    boolean isGang() {
        var gang = demands.get(0).gang();
        return gang != null && !gang.isUnread();
    }
}
