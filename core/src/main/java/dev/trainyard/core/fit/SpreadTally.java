package dev.trainyard.core.fit;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The number of pods in each topology domain, as one topology spread constraint counts them, and the lowest of these numbers. The rules are
 * those of calPreFilterState in {@code pkg/scheduler/framework/plugins/podtopologyspread}.
 */
final class SpreadTally implements Counter {

    private final SpreadDomains domains;
    /** The number of pods in each domain; domains without pods are absent. */
    private final Map<String, Integer> pods = new HashMap<>();
    /** For each number of pods except 0, the number of domains that have that many pods. */
    private final TreeMap<Integer, Integer> domainsByPods = new TreeMap<>();

    /** @param domains the domains, and the sites whose pods the constraint counts */
    SpreadTally(SpreadDomains domains) {
        this.domains = domains;
    }

    @Override
    public void add(Site site, int more) {
        if (!domains.counts(site)) {
            return;
        }
        var name = domains.of(site);
        int before = pods.getOrDefault(name, 0);
        count(before, -1);
        count(before + more, 1);
        if (before + more == 0) {
            pods.remove(name);
        } else {
            pods.put(name, before + more);
        }
    }

    /** Returns the number of pods in the same domain as a site. */
    int podsNear(Site site) {
        var name = domains.of(site);
        return name == null ? 0 : pods.getOrDefault(name, 0);
    }

    /** Returns the number of pods in the emptiest domain; 0 if there are fewer than {@code minDomains} domains. */
    int fewest(int minDomains) {
        boolean isAnyEmpty = pods.size() < domains.number();
        return isAnyEmpty || domains.number() < minDomains || pods.isEmpty() ? 0 : domainsByPods.firstKey();
    }

    private void count(int number, int change) {
        if (number > 0) {
            domainsByPods.merge(number, change, (a, b) -> a + b == 0 ? null : a + b);
        }
    }
}
