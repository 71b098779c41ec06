package dev.trainyard.workshop.demo;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * The machines of a pool as a watch saw them. Immutable.
 *
 * @param sizes target sizes in order, without repetitions, beginning with the one that there was before
 * @param joined names of machines in the order in which they joined; one that joined twice is there twice
 */
record Growth(List<Integer> sizes, List<String> joined) {

    Growth {
        sizes = List.copyOf(sizes);
        joined = List.copyOf(joined);
    }

    /** What came after an earlier state. */
    Growth since(Growth before) {
        return new Growth(
                sizes.subList(Math.max(0, before.sizes().size() - 1), sizes.size()),
                joined.subList(before.joined().size(), joined.size()));
    }

    /** How many machines were requested in total, also while others were removed. */
    int requested() {
        int requested = 0;
        for (int i = 1; i < sizes.size(); i++) {
            requested += Math.max(0, sizes.get(i) - sizes.get(i - 1));
        }
        return requested;
    }

    /** In how many steps. */
    long steps() {
        long steps = 0;
        for (int i = 1; i < sizes.size(); i++) {
            steps += sizes.get(i) > sizes.get(i - 1) ? 1 : 0;
        }
        return steps;
    }

    /** Returns what is wrong if these machines are more than were needed, or if one was requested twice. */
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
