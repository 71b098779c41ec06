package dev.trainyard.core.fit;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.HostPort;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodSet;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.PodTerm;
import dev.trainyard.core.pod.Selector;
import dev.trainyard.core.pod.SpreadConstraint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which pods are where, and so where another pod may be as far as that depends on them: host ports, required pod affinity and anti-affinity
 * (also that of the pods that are there), and topology spread. What depends on the pod alone is answered by {@link Fit}.
 *
 * <p>Every node that the scheduler knows belongs here, cordoned and unready ones too: topology spread counts them. Machines to come have a
 * host name of their own, and of the rest of the topology what their template promises; {@link #unmodelled} says what nobody can tell.
 *
 * <p>What was done since a {@link #mark} can be taken back. A check costs as much as the pod has terms, however many nodes and pods there
 * are. Mutable, not thread-safe.
 */
public final class Neighbourhood {

    /** The label that tells one node from the other. */
    public static final String HOSTNAME = "kubernetes.io/hostname";

    /**
     * What a counter counts.
     *
     * @param all sets that a pod must be in to count
     * @param extent which sites count, for topology spread; null for affinity
     */
    private record Counted(List<PodSet> all, String topologyKey, SpreadTally.@Nullable Extent extent) {

        boolean counts(Kind kind) {
            // The scheduler leaves out pods that are going for topology spread, and only there.
            return !(extent != null && kind.terminating) && all.stream().allMatch(set -> set.contains(kind.pods));
        }
    }

    private record KindKey(
            String namespace,
            Map<String, String> namespaceLabels,
            Map<String, String> labels,
            List<PodTerm> antiAffinity,
            boolean terminating) {}

    /** @param kind null when the site itself was added */
    private record Change(Site site, @Nullable Kind kind, Set<HostPort> hostPorts) {}

    private final List<Site> sites = new ArrayList<>();
    private final Map<KindKey, Kind> kinds = new HashMap<>();
    private final Map<String, Map<String, List<Kind>>> kindsByLabel = new HashMap<>();
    private final Map<Counted, Tally> tallies = new HashMap<>();
    private final Map<Counted, SpreadTally> spreadTallies = new HashMap<>();
    private final PodSetIndex<Counted> counted = new PodSetIndex<>();
    /** By anti-affinity term: pods that have it. */
    private final Map<PodTerm, Tally> holders = new HashMap<>();

    private final PodSetIndex<Tally> holdersOfTermsAgainst = new PodSetIndex<>();
    private final List<Change> changes = new ArrayList<>();

    /** Adds a node that there is. */
    public Site addNode(NodeShape node) {
        return addNode(node, key -> false);
    }

    /**
     * Adds a node that has just joined.
     *
     * @param mayHave labels that it may still get
     */
    public Site addNode(NodeShape node, Predicate<String> mayHave) {
        return add(new Site(node, node.labels(), sites.size(), mayHave));
    }

    /** Adds a machine that does not exist yet, and may have any label. */
    public Site addMachine(NodeShape template) {
        return addMachine(template, key -> true);
    }

    /**
     * Adds a machine that does not exist yet.
     *
     * @param mayHave labels that its node may have besides those of the template
     */
    public Site addMachine(NodeShape template, Predicate<String> mayHave) {
        var labels = new HashMap<>(template.labels());
        labels.put(HOSTNAME, "(machine %d)".formatted(sites.size())); // no name of a node that there is
        return add(new Site(template, labels, sites.size(), mayHave));
    }

    /**
     * Machines of this kind can be had: the parts of the topology that they would be in are there to be spread to, while they are empty too.
     * The scheduler does not reckon so; but to fill one zone since there is nothing in the other yet is not what who spreads pods means.
     */
    public void promise(NodeShape template) {
        var labels = new HashMap<>(template.labels());
        labels.put(HOSTNAME, Site.NO_HOST);
        add(new Site(template, labels, sites.size(), key -> true));
    }

    private Site add(Site site) {
        sites.add(site);
        spreadTallies.values().forEach(tally -> tally.open(site));
        changes.add(new Change(site, null, Set.of()));
        return site;
    }

    /** Puts a pod where it already is. */
    public void settle(PodRelations pod, Set<HostPort> hostPorts, boolean terminating, Site site) {
        put(kind(pod, terminating), hostPorts, site);
    }

    /** Puts one of the pods there, whether it fits or not. */
    public void place(Newcomer pod, Site site) {
        put(pod.kind, pod.hostPorts, site);
    }

    private void put(Kind kind, Set<HostPort> hostPorts, Site site) {
        kind.add(site, 1);
        site.use(hostPorts, 1);
        changes.add(new Change(site, kind, hostPorts));
    }

    /** Pods that look for a place. They stay of use when pods and nodes are added or taken back. */
    public Newcomer newcomer(PodShape shape, PodRelations relations) {
        var kind = kind(relations, false);
        var newcomer = new Newcomer(relations, shape.hostPorts(), kind);
        for (var constraint : relations.spread()) {
            newcomer.keep(constraint, spreadTally(shape, relations, constraint));
        }
        var wanted = relations.affinity().stream().map(PodTerm::pods).toList();
        relations.affinity().forEach(term -> newcomer.want(tally(wanted, term.topologyKey())));
        relations
                .antiAffinity()
                .forEach(term -> newcomer.keepAwayFrom(tally(List.of(term.pods()), term.topologyKey())));
        holdersOfTermsAgainst.forEach(relations, newcomer::beRepelledBy);
        kind.newcomers.add(newcomer);
        return newcomer;
    }

    /** Returns why one of the pods cannot be there, in the scheduler's words; empty when other pods have nothing against it. */
    public Optional<Misfit> check(Newcomer pod, Site site) {
        return pod.check(site);
    }

    /** What {@link #check} left out of account, since nobody can tell where in the topology the machine will be; in words for people. */
    public SortedSet<String> unmodelled(Newcomer pod, Site site) {
        return pod.unmodelled(site);
    }

    /** A moment to go back to. */
    public int mark() {
        return changes.size();
    }

    /** Makes everything as it was at that moment. Sites that were added since are of no use any more. */
    public void undo(int mark) {
        while (changes.size() > mark) {
            var change = changes.remove(changes.size() - 1);
            var site = change.site();
            if (change.kind() == null) {
                spreadTallies.values().forEach(tally -> tally.close(site));
                sites.remove(sites.size() - 1);
            } else {
                site.use(change.hostPorts(), -1);
                change.kind().add(site, -1);
            }
        }
    }

    private Kind kind(PodRelations pod, boolean terminating) {
        var key = new KindKey(pod.namespace(), pod.namespaceLabels(), pod.labels(), pod.antiAffinity(), terminating);
        var known = kinds.get(key);
        if (known != null) {
            return known;
        }
        var kind = new Kind(pod, terminating);
        kinds.put(key, kind);
        pod.labels()
                .forEach((label, value) -> kindsByLabel
                        .computeIfAbsent(label, any -> new HashMap<>())
                        .computeIfAbsent(value, any -> new ArrayList<>())
                        .add(kind));
        counted.forEach(pod, what -> {
            if (what.counts(kind)) {
                kind.countFor(counterOf(what));
            }
        });
        pod.antiAffinity().stream().distinct().forEach(term -> kind.countFor(holdersOf(term)));
        return kind;
    }

    private Counter counterOf(Counted what) {
        Counter counter = what.extent() == null ? tallies.get(what) : spreadTallies.get(what);
        if (counter == null) {
            throw new IllegalStateException("nothing counts " + what);
        }
        return counter;
    }

    private Tally holdersOf(PodTerm term) {
        return holders.computeIfAbsent(term, any -> {
            var tally = new Tally(term.topologyKey());
            holdersOfTermsAgainst.add(term.pods(), tally);
            kindsThatMayBeIn(term.pods()).stream()
                    .filter(kind -> term.pods().contains(kind.pods))
                    .flatMap(kind -> kind.newcomers.stream())
                    .forEach(newcomer -> newcomer.beRepelledBy(tally));
            return tally;
        });
    }

    private Tally tally(List<PodSet> all, String topologyKey) {
        var what = new Counted(all, topologyKey, null);
        var known = tallies.get(what);
        if (known != null) {
            return known;
        }
        var tally = new Tally(topologyKey);
        tallies.put(what, tally);
        startCounting(what, tally);
        return tally;
    }

    private SpreadTally spreadTally(PodShape shape, PodRelations relations, SpreadConstraint constraint) {
        // The scheduler counts no pods for a selector that selects everything.
        var selector = constraint.selector().isEverything() ? Selector.NOTHING : constraint.selector();
        var extent = SpreadTally.Extent.of(shape, relations.spread(), constraint);
        var what = new Counted(List.of(PodSet.in(relations.namespace(), selector)), constraint.topologyKey(), extent);
        var known = spreadTallies.get(what);
        if (known != null) {
            return known;
        }
        var tally = new SpreadTally(constraint.topologyKey(), extent);
        spreadTallies.put(what, tally);
        sites.forEach(tally::open);
        startCounting(what, tally);
        return tally;
    }

    private void startCounting(Counted what, Counter counter) {
        counted.add(what.all().get(0), what);
        kindsThatMayBeIn(what.all().get(0)).stream().filter(what::counts).forEach(kind -> kind.countFor(counter));
    }

    private Collection<Kind> kindsThatMayBeIn(PodSet set) {
        return PodSetIndex.named(set)
                .<Collection<Kind>>map(label -> label.values().stream()
                        .distinct()
                        .flatMap(value ->
                                kindsByLabel
                                        .getOrDefault(label.key(), Map.of())
                                        .getOrDefault(value, List.of())
                                        .stream())
                        .toList())
                .orElse(kinds.values());
    }
}
