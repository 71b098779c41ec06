package dev.trainyard.core.fit;

import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pod.NodeTerm;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.SpreadConstraint;
import dev.trainyard.core.pod.Toleration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The number of pods in each topology domain, as one topology spread constraint counts them, and the lowest of these numbers. A site counts
 * only if it has the topology labels of all spread constraints of the pod. The node policies of the constraint must also include the site.
 * The rules are those of calPreFilterState in {@code pkg/scheduler/framework/plugins/podtopologyspread}.
 */
final class SpreadTally implements Counter {

    /**
     * The conditions under which a site counts.
     *
     * @param topologyKeys keys of labels that a site must have
     * @param nodeSelector labels with values that a site must have
     * @param nodeTerms node affinity terms; at least one must match; empty if there is no such constraint
     * @param tolerations tolerations that must cover a site's taints; empty if taints do not matter
     */
    record Extent(
            Set<String> topologyKeys,
            Map<String, String> nodeSelector,
            List<NodeTerm> nodeTerms,
            Optional<List<Toleration>> tolerations) {

        static Extent of(PodShape pod, List<SpreadConstraint> all, SpreadConstraint constraint) {
            return new Extent(
                    all.stream().map(SpreadConstraint::topologyKey).collect(Collectors.toUnmodifiableSet()),
                    constraint.honoursAffinity() ? pod.nodeSelector() : Map.of(),
                    constraint.honoursAffinity() ? pod.nodeTerms() : List.of(),
                    constraint.honoursTaints() ? Optional.of(pod.tolerations()) : Optional.empty());
        }

        boolean includes(Site site) {
            return site.labels().keySet().containsAll(topologyKeys)
                    && Fit.selects(nodeSelector, nodeTerms, site.node.name(), site.labels())
                    && tolerations
                            .map(tolerations -> site.node.taints().stream()
                                    .filter(Taint::repels)
                                    .allMatch(taint -> Fit.tolerate(tolerations, taint)))
                            .orElse(true);
        }
    }

    private static final class Domain {
        private int sites;
        private int pods;
    }

    private final String topologyKey;
    private final Extent extent;
    private final BitSet counting = new BitSet();
    private final Map<String, Domain> domains = new HashMap<>();
    /** For each number of pods, the number of domains that have so many pods. */
    private final TreeMap<Integer, Integer> domainsByPods = new TreeMap<>();

    SpreadTally(String topologyKey, Extent extent) {
        this.topologyKey = topologyKey;
        this.extent = extent;
    }

    /** Adds a site. */
    void open(Site site) {
        var name = site.domain(topologyKey);
        if (name == null || name.equals(Site.NO_HOST) || !extent.includes(site)) {
            return;
        }
        counting.set(site.index);
        var domain = domains.get(name);
        if (domain == null) {
            domain = new Domain();
            domains.put(name, domain);
            count(0, 1);
        }
        domain.sites++;
    }

    /** Removes a site. Its pods must be removed first. */
    void close(Site site) {
        var name = site.domain(topologyKey);
        if (name == null || !counting.get(site.index)) {
            return;
        }
        counting.clear(site.index);
        var domain = domainOf(name);
        domain.sites--;
        if (domain.sites == 0) {
            count(domain.pods, -1);
            domains.remove(name);
        }
    }

    @Override
    public void add(Site site, int more) {
        var name = site.domain(topologyKey);
        if (name != null && counting.get(site.index)) {
            var domain = domainOf(name);
            count(domain.pods, -1);
            domain.pods += more;
            count(domain.pods, 1);
        }
    }

    /** Returns the number of pods in the same domain as a site. */
    int podsNear(Site site) {
        var name = site.domain(topologyKey);
        var domain = name == null ? null : domains.get(name);
        return domain == null ? 0 : domain.pods;
    }

    /** Returns the number of pods in the emptiest domain; 0 if there are fewer than {@code minDomains} domains. */
    int fewest(int minDomains) {
        return domains.size() < minDomains || domains.isEmpty() ? 0 : domainsByPods.firstKey();
    }

    private Domain domainOf(String name) {
        var domain = domains.get(name);
        if (domain == null) {
            throw new IllegalStateException("no site of %s=%s counts".formatted(topologyKey, name));
        }
        return domain;
    }

    private void count(int pods, int change) {
        domainsByPods.merge(pods, change, (a, b) -> a + b == 0 ? null : a + b);
    }
}
