package dev.trainyard.workshop.demo;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * The machines of a pool as observed by a watch. Immutable.
 *
 * @param sizes the target sizes in order, with one entry for each change, starting with the initial size
 * @param joined the names of machines in the order in which they joined; a machine that joined twice is listed twice
 */
record PoolGrowth(List<Integer> sizes, List<String> joined) {

    PoolGrowth {
        sizes = List.copyOf(sizes);
        joined = List.copyOf(joined);
    }

    /** Returns the part of this growth that followed {@code before}. */
    PoolGrowth since(PoolGrowth before) {
        return new PoolGrowth(
                sizes.subList(Math.max(0, before.sizes().size() - 1), sizes.size()),
                joined.subList(before.joined().size(), joined.size()));
    }

    /** Returns the total number of requested machines; removed machines are not subtracted. */
    int requested() {
        int requested = 0;
        for (int i = 1; i < sizes.size(); i++) {
            requested += Math.max(0, sizes.get(i) - sizes.get(i - 1));
        }
        return requested;
    }

    /** Returns how often the target size was raised. */
    long steps() {
        long steps = 0;
        for (int i = 1; i < sizes.size(); i++) {
            steps += sizes.get(i) > sizes.get(i - 1) ? 1 : 0;
        }
        return steps;
    }

    /** Returns the problem if the pool had more machines than needed, or if a machine joined twice; empty if there is no problem. */
    Optional<String> excess(int needed) {
        var once = new HashSet<String>();
        var twice = joined.stream().filter(name -> !once.add(name)).distinct().toList();
        if (!twice.isEmpty()) {
            return Optional.of("machines that joined more than once: " + twice);
        }
        int most = Math.max(requested(), joined.size());
        return most <= needed
                ? Optional.empty()
                : Optional.of("%d machines for %d pods, its sizes were %s, %d joined"
                        .formatted(most, needed, sizes, joined.size()));
    }
}
