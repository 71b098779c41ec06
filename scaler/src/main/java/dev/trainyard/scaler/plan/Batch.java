package dev.trainyard.scaler.plan;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * What is planned for in one go: a demand, or all the demands of a gang, which get everything or nothing.
 *
 * @param demands the hardest to place first
 * @param priority the least of its members': none gets ahead of others by its companions
 * @param patience the most of its members', as {@link Patience} tells it
 * @param gpus that a pod of its hardest demand asks for
 * @param share of the largest machines that one takes
 * @param pools how many pools the choosiest of them can use
 * @param oldest when its oldest pod was created
 * @param name of some pod of it, so that no two batches are equal
 */
record Batch(
        List<Demand> demands,
        int priority,
        int patience,
        long gpus,
        double share,
        int pools,
        Instant oldest,
        String name) {

    /**
     * @param share what share of the largest machines there are a demand takes
     * @param pools how many pools a demand can use
     */
    static List<Batch> of(List<Demand> demands, ToDoubleFunction<Demand> share, ToIntFunction<Demand> pools) {
        var batches = new ArrayList<Batch>();
        var gangs = new TreeMap<String, List<Batch>>();
        for (var demand : demands) {
            var batch = new Batch(
                    List.of(demand),
                    demand.priority(),
                    demand.patience(),
                    demand.shape().gpus(),
                    share.applyAsDouble(demand),
                    pools.applyAsInt(demand),
                    demand.oldest(),
                    demand.pods().get(0).toString());
            if (demand.gang() == null) {
                batches.add(batch);
            } else {
                gangs.computeIfAbsent(demand.gang(), gang -> new ArrayList<>()).add(batch);
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
                        Math.max(one.patience, other.patience),
                        hardest.gpus,
                        hardest.share,
                        Math.min(one.pools, other.pools),
                        one.oldest.isBefore(other.oldest) ? one.oldest : other.oldest,
                        hardest.name))
                .orElseThrow();
    }

    /** By priority; then those that have waited for very long; then what is hardest to place: many GPUs, much else; then by age. */
    static Comparator<Batch> hardestFirst() {
        return inOrderOfMerit()
                .thenComparing(Comparator.comparingLong(Batch::gpus)
                        .thenComparingDouble(Batch::share)
                        .reversed())
                .thenComparing(Batch::oldest)
                .thenComparing(Batch::name);
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
}
