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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The positions of all pods, and the checks of a new pod against the other pods. The checks cover host ports, required pod affinity,
 * topology spread, and required anti-affinity (of the new pod and of the other pods). {@link Fit} checks the constraints that involve no
 * other pod.
 *
 * <p>Every node that the scheduler knows must be added, even if cordoned or not ready, because topology spread also counts the pods of such
 * nodes. A machine that does not exist yet gets a unique host name. The other topology labels of the machine come from its template.
 * {@link #unmodelled} reports the constraints over labels that are not known.
 *
 * <p>Changes after a {@link #mark} can be undone. The cost of a check depends on the number of the pod's terms, not on the number of nodes
 * and pods. Mutable, not thread-safe.
 */
public final class PodTopology {

    /** The label that is unique for each node. */
    public static final String HOSTNAME = "kubernetes.io/hostname";

    /**
     * A description of the pods that one counter counts.
     *
     * @param all sets of pods; the counter counts a pod if the pod is in every set
     * @param extent the sites whose pods a topology spread constraint counts; null for affinity, which counts the pods of all sites
     */
    private record Counted(List<PodSet> all, String topologyKey, SpreadDomains.@Nullable Extent extent) {

        boolean counts(EquivalentPods kind) {
            // The scheduler ignores terminating pods for topology spread only.
            return !(extent != null && kind.terminating) && all.stream().allMatch(set -> set.contains(kind.pods));
        }
    }

    private record DomainsKey(String topologyKey, SpreadDomains.Extent extent) {}

    private record KindKey(
            String namespace,
            Map<String, String> namespaceLabels,
            Map<String, String> labels,
            List<PodTerm> antiAffinity,
            boolean terminating) {}

    /** @param kind the group of the added pod; null if the change added the site itself */
    private record Change(Site site, @Nullable EquivalentPods kind, Set<HostPort> hostPorts) {}

    private final List<Site> sites = new ArrayList<>();
    private final Map<KindKey, EquivalentPods> kinds = new HashMap<>();
    private final Map<String, Map<String, List<EquivalentPods>>> kindsByLabel = new HashMap<>();
    private final Map<Counted, Tally> tallies = new HashMap<>();
    private final Map<Counted, SpreadTally> spreadTallies = new HashMap<>();
    private final Map<DomainsKey, SpreadDomains> spreadDomains = new HashMap<>();
    private final PodSetIndex<Counted> counted = new PodSetIndex<>();
    /** For each anti-affinity term, the number of pods that have the term. */
    private final Map<PodTerm, Tally> holders = new HashMap<>();

    private final PodSetIndex<Tally> holdersOfTermsAgainst = new PodSetIndex<>();
    private final List<Change> changes = new ArrayList<>();

    /** Adds an existing node. */
    public Site addNode(NodeShape node) {
        return addNode(node, key -> false);
    }

    /**
     * Adds a node that has just joined.
     *
     * @param mayHave returns whether the node may still get a label with the given key
     */
    public Site addNode(NodeShape node, Predicate<String> mayHave) {
        return add(new Site(node, node.labels(), sites.size(), mayHave));
    }

    /** Adds a machine that does not exist yet. Its node may have any labels in addition to those of the template. */
    public Site addMachine(NodeShape template) {
        return addMachine(template, key -> true);
    }

    /**
     * Adds a machine that does not exist yet.
     *
     * @param mayHave returns whether the machine's node may have a label with the given key that the template lacks
     */
    public Site addMachine(NodeShape template, Predicate<String> mayHave) {
        var labels = new HashMap<>(template.labels());
        labels.put(HOSTNAME, "(machine %d)".formatted(sites.size())); // not the name of any existing node
        return add(new Site(template, labels, sites.size(), mayHave));
    }

    /**
     * Adds the topology domains of machines that could be launched from a template, so that pods spread to these domains even before the
     * domains have a node. The scheduler ignores domains without a node. If only one zone had nodes, the scheduler would therefore place
     * all pods in that zone, which contradicts the purpose of a spread constraint.
     */
    public void promise(NodeShape template) {
        var labels = new HashMap<>(template.labels());
        labels.put(HOSTNAME, Site.NO_HOST);
        add(new Site(template, labels, sites.size(), key -> true));
    }

    private Site add(Site site) {
        sites.add(site);
        spreadDomains.values().forEach(domains -> domains.open(site));
        changes.add(new Change(site, null, Set.of()));
        return site;
    }

    /** Adds a pod that already runs at a site. */
    public void settle(PodRelations pod, Set<HostPort> hostPorts, boolean terminating, Site site) {
        put(kind(pod, terminating), hostPorts, site);
    }

    /** Places one pod of the group at a site, without a check. */
    public void place(PodsToPlace pod, Site site) {
        put(pod.kind, pod.hostPorts, site);
    }

    private void put(EquivalentPods kind, Set<HostPort> hostPorts, Site site) {
        kind.add(site, 1);
        site.use(hostPorts, 1);
        changes.add(new Change(site, kind, hostPorts));
    }

    /**
     * Returns a group of equal pods to place. The group stays valid when pods or nodes are added, and when {@link #undo} removes pods or
     * nodes.
     */
    public PodsToPlace newcomer(PodShape shape, PodRelations relations) {
        var kind = kind(relations, false);
        var newcomer = new PodsToPlace(relations, shape.hostPorts(), kind);
        for (var constraint : relations.spread()) {
            newcomer.keep(constraint, spreadTally(shape, relations, constraint));
        }
        var wanted = relations.affinity().stream().map(PodTerm::pods).toList();
        relations.affinity().forEach(term -> newcomer.want(tally(wanted, term.topologyKey())));
        relations
                .antiAffinity()
                .forEach(term -> newcomer.addAntiAffinity(tally(List.of(term.pods()), term.topologyKey())));
        holdersOfTermsAgainst.forEach(relations, newcomer::addOpposingAntiAffinity);
        kind.newcomers.add(newcomer);
        return newcomer;
    }

    /** Returns why a pod of the group cannot run at a site, in the scheduler's words; empty if no inter-pod constraint forbids the site. */
    public Optional<Misfit> check(PodsToPlace pod, Site site) {
        return pod.check(site);
    }

    /**
     * Returns descriptions of the constraints that {@link #check} ignores at a site. A constraint is ignored if it cannot be evaluated, or
     * if the site's topology domain is not known.
     */
    public SortedSet<String> unmodelled(PodsToPlace pod, Site site) {
        return pod.unmodelled(site);
    }

    /** Returns the profile of a site. The profile is valid until a pod with new constraints is added. */
    public TopologyProfile profile(Site site) {
        var keys = Stream.of(tallies.values(), holders.values())
                .flatMap(Collection::stream)
                .map(Tally::topologyKey)
                .collect(Collectors.toCollection(HashSet::new));
        spreadDomains.keySet().forEach(domains -> keys.add(domains.topologyKey()));
        keys.remove(HOSTNAME);
        var domains = new HashMap<String, String>();
        var unknown = new HashSet<String>();
        for (var key : keys) {
            var domain = site.domain(key);
            if (domain != null) {
                domains.put(key, domain);
            } else if (site.isUnknownIn(key)) {
                unknown.add(key);
            }
        }
        var extents = new HashSet<Object>();
        spreadDomains.forEach((key, counting) -> {
            if (counting.counts(site)) {
                extents.add(key);
            }
        });
        return new TopologyProfile(domains, unknown, extents);
    }

    /** Returns a mark of the current state, for {@link #undo}. */
    public int mark() {
        return changes.size();
    }

    /** Undoes all changes after a {@link #mark}. Sites that were added after the mark become invalid. */
    public void undo(int mark) {
        while (changes.size() > mark) {
            var change = changes.remove(changes.size() - 1);
            var site = change.site();
            if (change.kind() == null) {
                spreadDomains.values().forEach(domains -> domains.close(site));
                sites.remove(sites.size() - 1);
            } else {
                site.use(change.hostPorts(), -1);
                change.kind().add(site, -1);
            }
        }
    }

    private EquivalentPods kind(PodRelations pod, boolean terminating) {
        var key = new KindKey(pod.namespace(), pod.namespaceLabels(), pod.labels(), pod.antiAffinity(), terminating);
        var known = kinds.get(key);
        if (known != null) {
            return known;
        }
        var kind = new EquivalentPods(pod, terminating);
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
                    .forEach(newcomer -> newcomer.addOpposingAntiAffinity(tally));
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
        // A selector without requirements matches all pods, but the scheduler counts no pods for a constraint with
        // such a selector.
        var selector = constraint.selector().isEverything() ? Selector.NOTHING : constraint.selector();
        var extent = SpreadDomains.Extent.of(shape, relations.spread(), constraint);
        var what = new Counted(List.of(PodSet.in(relations.namespace(), selector)), constraint.topologyKey(), extent);
        var known = spreadTallies.get(what);
        if (known != null) {
            return known;
        }
        var tally =
                new SpreadTally(spreadDomains.computeIfAbsent(new DomainsKey(constraint.topologyKey(), extent), key -> {
                    var domains = new SpreadDomains(key.topologyKey(), extent);
                    sites.forEach(domains::open);
                    return domains;
                }));
        spreadTallies.put(what, tally);
        startCounting(what, tally);
        return tally;
    }

    private void startCounting(Counted what, Counter counter) {
        counted.add(what.all().get(0), what);
        kindsThatMayBeIn(what.all().get(0)).stream().filter(what::counts).forEach(kind -> kind.countFor(counter));
    }

    private Collection<EquivalentPods> kindsThatMayBeIn(PodSet set) {
        return PodSetIndex.named(set)
                .<Collection<EquivalentPods>>map(label -> label.values().stream()
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
