package dev.trainyard.core.fit;

import java.util.HashMap;
import java.util.Map;

/** The number of matching pods in each topology domain. Pods at sites without a domain are not counted. */
final class Tally implements Counter {

    private final String topologyKey;
    private final Map<String, Integer> pods = new HashMap<>();

    Tally(String topologyKey) {
        this.topologyKey = topologyKey;
    }

    String topologyKey() {
        return topologyKey;
    }

    @Override
    public void add(Site site, int more) {
        var domain = site.domain(topologyKey);
        if (domain != null) {
            pods.merge(domain, more, (a, b) -> a + b == 0 ? null : a + b);
        }
    }

    boolean hasAnyNear(Site site) {
        var domain = site.domain(topologyKey);
        return domain != null && pods.containsKey(domain);
    }

    boolean isEmpty() {
        return pods.isEmpty();
    }
}
