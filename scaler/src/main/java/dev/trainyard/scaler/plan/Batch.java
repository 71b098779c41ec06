package dev.trainyard.scaler.plan;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/**
 * What is planned for in one go: a demand, or all the demands of a gang, which get everything or nothing.
 *
 * @param demands the hardest to place first
 * @param share of the largest machine that the hardest of them takes
 * @param pools how many pools the choosiest of them can use
 */
record Batch(List<Demand> demands, double share, int pools) {

    /**
     * @param share what share of the largest machines there are a demand takes
     * @param pools how many pools a demand can use
     */
    static List<Batch> of(List<Demand> demands, ToDoubleFunction<Demand> share, ToIntFunction<Demand> pools) {
        var batches = new ArrayList<Batch>();
        var gangs = new HashMap<String, List<Demand>>();
        for (var demand : demands) {
            if (demand.gang() == null) {
                batches.add(new Batch(List.of(demand), share.applyAsDouble(demand), pools.applyAsInt(demand)));
            } else {
                gangs.computeIfAbsent(demand.gang(), gang -> new ArrayList<>()).add(demand);
            }
        }
        var hardest = Comparator.<Demand>comparingLong(demand -> demand.shape().gpus())
                .thenComparingDouble(share)
                .reversed()
                .thenComparing(Demand::oldest)
                .thenComparing(demand -> demand.pods().get(0).toString());
        gangs.values().forEach(members -> {
            members.sort(hardest);
            batches.add(new Batch(
                    members,
                    share.applyAsDouble(members.get(0)),
                    members.stream().mapToInt(pools).min().orElseThrow()));
        });
        return batches;
    }

    /** By priority; then those that have waited for very long; then what is hardest to place: many GPUs, much else; then by age. */
    static Comparator<Batch> hardestFirst() {
        return inOrderOfMerit()
                .thenComparing(Comparator.comparingLong(Batch::gpus)
                        .thenComparingDouble(Batch::share)
                        .reversed())
                .thenComparing(Batch::oldest)
                .thenComparing(batch -> batch.demands.get(0).pods().get(0).toString());
    }

    /** The same, but before what is hard to place those that have the least choice. */
    static Comparator<Batch> choosiestFirst() {
        return inOrderOfMerit().thenComparingInt(Batch::pools).thenComparing(hardestFirst());
    }

    private static Comparator<Batch> inOrderOfMerit() {
        return Comparator.comparingInt(Batch::priority)
                .thenComparingInt(Batch::patience)
                .reversed();
    }

    boolean isGang() {
        return demands.get(0).gang() != null;
    }

    /** No member gets ahead of others by its companions. */
    private int priority() {
        return demands.stream().mapToInt(Demand::priority).min().orElseThrow();
    }

    private int patience() {
        return demands.stream().mapToInt(Demand::patience).max().orElseThrow();
    }

    private long gpus() {
        return demands.get(0).shape().gpus();
    }

    private Instant oldest() {
        return demands.stream().map(Demand::oldest).min(Instant::compareTo).orElseThrow();
    }
}
