package dev.trainyard.core.fit;

import dev.trainyard.core.pod.PodRelations;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A group of pods that inter-pod constraints treat alike, because the pods have equal namespaces, labels and anti-affinity terms. The group
 * counts its pods at each {@link Site}.
 */
final class EquivalentPods {

    final PodRelations pods;
    final boolean terminating;
    private final List<Counter> counters = new ArrayList<>();

    /** The pods of this group that have no node yet. */
    final List<PodsToPlace> newcomers = new ArrayList<>();

    private final Map<Site, Integer> places = new HashMap<>();

    EquivalentPods(PodRelations pods, boolean terminating) {
        this.pods = pods;
        this.terminating = terminating;
    }

    void add(Site site, int more) {
        places.merge(site, more, (a, b) -> a + b == 0 ? null : a + b);
        for (var counter : counters) {
            counter.add(site, more);
        }
    }

    void countFor(Counter counter) {
        counters.add(counter);
        places.forEach(counter::add);
    }
}
