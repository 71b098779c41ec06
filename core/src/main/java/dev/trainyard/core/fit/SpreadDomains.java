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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The topology domains of a spread constraint: the values of one topology label on the sites whose pods the constraint counts. A site
 * counts if it has the topology labels of all spread constraints of the constrained pod, and if the constraint's node policies include the
 * site. Constraints that differ only in their pod selectors share one object, because there may be thousands of such constraints.
 */
final class SpreadDomains {

    /**
     * The conditions under which a constraint counts the pods of a site.
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

    private final String topologyKey;
    private final Extent extent;
    private final BitSet counting = new BitSet();
    /** The number of sites in each domain. */
    private final Map<String, Integer> sites = new HashMap<>();

    SpreadDomains(String topologyKey, Extent extent) {
        this.topologyKey = topologyKey;
        this.extent = extent;
    }

    /** Adds a site. The site is ignored if it has no domain or is outside of the extent. */
    void open(Site site) {
        var name = of(site);
        if (name != null && !name.equals(Site.NO_HOST) && extent.includes(site)) {
            counting.set(site.index);
            sites.merge(name, 1, Integer::sum);
        }
    }

    /** Removes a site. Its pods must be removed first. */
    void close(Site site) {
        if (counts(site)) {
            counting.clear(site.index);
            sites.computeIfPresent(of(site), (name, number) -> number == 1 ? null : number - 1);
        }
    }

    /** Whether the constraint counts the pods of a site. */
    boolean counts(Site site) {
        return counting.get(site.index);
    }

    /** Returns the domain of a site; null if the site is in none. */
    @Nullable
    String of(Site site) {
        return site.domain(topologyKey);
    }

    /** Returns the number of domains. */
    int number() {
        return sites.size();
    }
}
