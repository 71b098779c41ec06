package dev.trainyard.core.fit;

import dev.trainyard.core.pod.HostPort;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.SpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A group of equal pods to place in a {@link PodTopology}. The group is valid only in the topology that created it.
 *
 * <p>The rules and their order are those of kube-scheduler's NodePorts, PodTopologySpread and InterPodAffinity.
 */
public final class PodsToPlace {

    private static final Misfit PORTS = new Misfit("node(s) didn't have free ports for the requested pod ports", true);
    private static final Misfit SPREAD = new Misfit("node(s) didn't match pod topology spread constraints", true);
    private static final Misfit NOT_IN_TOPOLOGY =
            new Misfit("node(s) didn't match pod topology spread constraints (missing required label)", false);
    private static final Misfit AFFINITY = new Misfit("node(s) didn't match pod affinity rules", false);
    private static final Misfit ANTI_AFFINITY = new Misfit("node(s) didn't match pod anti-affinity rules", true);
    private static final Misfit REPELLED = new Misfit("node(s) didn't satisfy existing pods anti-affinity rules", true);

    private record Spread(SpreadConstraint constraint, int self, SpreadTally tally) {}

    final EquivalentPods kind;
    final Set<HostPort> hostPorts;
    private final PodRelations relations;
    private final boolean affineToItself;
    private final List<Spread> spreads = new ArrayList<>();
    /** One tally for each affinity term. Each tally counts the pods that match all affinity terms. */
    private final List<Tally> wanted = new ArrayList<>();
    /** One tally for each anti-affinity term. Each tally counts the pods that match its term. */
    private final List<Tally> unwanted = new ArrayList<>();
    /** Tallies of the other pods whose anti-affinity excludes the pods of this group. */
    private final List<Tally> repelling = new ArrayList<>();

    PodsToPlace(PodRelations relations, Set<HostPort> hostPorts, EquivalentPods kind) {
        this.relations = relations;
        this.hostPorts = hostPorts;
        this.kind = kind;
        this.affineToItself =
                relations.affinity().stream().allMatch(term -> term.pods().contains(relations));
    }

    void keep(SpreadConstraint constraint, SpreadTally tally) {
        spreads.add(new Spread(constraint, constraint.selector().matches(relations.labels()) ? 1 : 0, tally));
    }

    void want(Tally tally) {
        wanted.add(tally);
    }

    void addAntiAffinity(Tally tally) {
        unwanted.add(tally);
    }

    void addOpposingAntiAffinity(Tally tally) {
        repelling.add(tally);
    }

    Optional<Misfit> check(Site site) {
        if (!site.hasFree(hostPorts)) {
            return Optional.of(PORTS);
        }
        for (var spread : spreads) {
            var misfit = check(spread, site);
            if (misfit.isPresent()) {
                return misfit;
            }
        }
        if (!findsWanted(site)) {
            return Optional.of(AFFINITY);
        }
        if (anyNear(unwanted, site)) {
            return Optional.of(ANTI_AFFINITY);
        }
        return anyNear(repelling, site) ? Optional.of(REPELLED) : Optional.empty();
    }

    private static Optional<Misfit> check(Spread spread, Site site) {
        var constraint = spread.constraint();
        if (site.domain(constraint.topologyKey()) == null) {
            return site.isUnknownIn(constraint.topologyKey()) ? Optional.empty() : Optional.of(NOT_IN_TOPOLOGY);
        }
        int skew =
                spread.tally().podsNear(site) + spread.self() - spread.tally().fewest(constraint.minDomains());
        return skew > constraint.maxSkew() ? Optional.of(SPREAD) : Optional.empty();
    }

    /**
     * Whether the affinity terms are satisfied at the site. While no other pod matches, a pod that matches its own terms may use any site
     * with the topology labels. Without this rule, the first pod of a group could never start.
     */
    private boolean findsWanted(Site site) {
        boolean all = true;
        boolean none = true;
        for (var tally : wanted) {
            if (site.isUnknownIn(tally.topologyKey())) {
                continue;
            }
            if (site.domain(tally.topologyKey()) == null) {
                return false;
            }
            all &= tally.hasAnyNear(site);
        }
        for (var tally : wanted) {
            none &= tally.isEmpty();
        }
        return all || (none && affineToItself);
    }

    private static boolean anyNear(List<Tally> tallies, Site site) {
        for (var tally : tallies) {
            if (tally.hasAnyNear(site)) {
                return true;
            }
        }
        return false;
    }

    SortedSet<String> unmodelled(Site site) {
        var found = new TreeSet<>(relations.unmodelled());
        for (var spread : spreads) {
            note("topology spread", spread.constraint().topologyKey(), site, found);
        }
        wanted.forEach(tally -> note("pod affinity", tally.topologyKey(), site, found));
        unwanted.forEach(tally -> note("pod anti-affinity", tally.topologyKey(), site, found));
        repelling.stream()
                .filter(tally -> !tally.isEmpty())
                .forEach(tally -> note("other pods' anti-affinity", tally.topologyKey(), site, found));
        return found;
    }

    private static void note(String constraint, String topologyKey, Site site, SortedSet<String> found) {
        if (site.isUnknownIn(topologyKey)) {
            found.add("%s over label %s, which no new machine promises".formatted(constraint, topologyKey));
        }
    }
}
