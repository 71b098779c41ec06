package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Misfit;
import dev.trainyard.core.fit.PodTopology;
import dev.trainyard.core.fit.PodsToPlace;
import dev.trainyard.core.fit.Site;
import dev.trainyard.core.fit.TopologyProfile;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The placement of pods with inter-pod constraints, one by one. Such constraints are host ports, pod affinity, pod anti-affinity and
 * topology spread. All planning passes share one object, and each pass calls {@link #reset} first.
 */
final class ConstrainedSeating {

    private final PlanningInput outlook;
    private final PodTopology neighbourhood = new PodTopology();
    private final Map<String, Site> nodes = new HashMap<>();
    private final Map<Integer, PodsToPlace> newcomers = new HashMap<>();
    /** By demand: constraints that the planner does not model, for example because the zone of a new machine is unknown. */
    private final Map<Integer, SortedSet<String>> unmodelled = new HashMap<>();

    /** By pool: whether the labels of the pool's nodes are known. */
    private final Map<String, Boolean> known = new HashMap<>();

    private final int beginning;

    ConstrainedSeating(PlanningInput outlook) {
        this.outlook = outlook;
        var snapshot = outlook.snapshot();
        for (var node : snapshot.nodes()) {
            var site = add(node);
            nodes.put(node.name(), site);
            for (var pod : node.pods()) {
                if (!outlook.isLeaving(pod.uid()) && !snapshot.isFreed(pod)) {
                    var neighbour = snapshot.neighbours().of(pod.uid());
                    neighbourhood.settle(neighbour.relations(), neighbour.hostPorts(), pod.terminating(), site);
                }
            }
        }
        for (int pool = 0; pool < outlook.pools().size(); pool++) {
            if (outlook.refusal(pool).isEmpty() && outlook.pool(pool).room() > 0) {
                neighbourhood.promise(outlook.pool(pool).template());
            }
        }
        beginning = neighbourhood.mark();
    }

    /**
     * Adds a node to the topology. A registering node gets some labels late. So it counts as having the labels that its pool promises, and
     * as possibly having other labels that the pool's nodes usually have.
     */
    private Site add(NodeView node) {
        var pool = node.pool().map(p -> outlook.snapshot().pools().get(p.name()));
        if (pool.isEmpty() || !node.registering()) {
            return neighbourhood.addNode(node.uncordoned());
        }
        var template = pool.get().template();
        var labels = new HashMap<>(template.labels());
        labels.put(PodTopology.HOSTNAME, node.name());
        labels.putAll(node.shape().labels());
        var shape = new NodeShape(node.name(), labels, template.taints(), true, template.allocatable(), template.gpu());
        return neighbourhood.addNode(shape, mayHave(pool.get()));
    }

    private Predicate<String> mayHave(PoolView pool) {
        var nodes = pool.ledger().nodes();
        return knowsLabels(pool) ? nodes::mayHave : label -> true;
    }

    /**
     * Whether the labels of the pool's nodes are known. They are known if the pool has, or recently had, a node that was old enough to have
     * all of its labels.
     */
    private boolean knowsLabels(PoolView pool) {
        return known.computeIfAbsent(pool.name(), name -> {
            var now = outlook.snapshot().now();
            var number = outlook.number(name);
            return pool.ledger().nodes().knowsLabels(now)
                    || (number != null && outlook.nodesOf(number).stream().anyMatch(node -> node.hasSettled(now)));
        });
    }

    void reset() {
        neighbourhood.undo(beginning);
        unmodelled.clear();
    }

    /** Returns the site (the place in the topology) of a bin's machine; empty if the machine has no site yet. */
    Optional<Site> siteOf(Bin bin) {
        return bin.site != null ? Optional.of(bin.site) : Optional.ofNullable(nodes.get(bin.node));
    }

    Site newMachine(int pool) {
        return neighbourhood.addMachine(outlook.pool(pool).template(), mayHave(outlook.pool(pool)));
    }

    /** Returns the parts of the topology of a pool's new machine that matter to the known inter-pod constraints. */
    TopologyProfile profile(int pool) {
        int mark = mark();
        var profile = neighbourhood.profile(newMachine(pool));
        undo(mark);
        return profile;
    }

    /**
     * Returns a label that the demand needs and that a new machine of the pool may lack; empty if there is none. A label may be missing if
     * the pool does not promise the label, and if the labels of the pool's nodes are not known.
     */
    Optional<String> guessed(Demand demand, int pool) {
        var view = outlook.pool(pool);
        if (knowsLabels(view)) {
            return Optional.empty();
        }
        return demand.topologyKeys().stream()
                .filter(key -> !view.template().labels().containsKey(key))
                .findFirst();
    }

    /**
     * Places pods on a site one by one, as long as the constraints allow it.
     *
     * @param most the maximum number of pods, which the free resources determine
     * @return how many pods were placed
     */
    int seat(Demand demand, Site site, int most) {
        var newcomer = newcomer(demand);
        int seated = 0;
        while (seated < most && neighbourhood.check(newcomer, site).isEmpty()) {
            neighbourhood.place(newcomer, site);
            seated++;
        }
        if (seated > 0) {
            unmodelled
                    .computeIfAbsent(demand.index(), any -> new TreeSet<>())
                    .addAll(neighbourhood.unmodelled(newcomer, site));
        }
        return seated;
    }

    Optional<Misfit> check(Demand demand, Site site) {
        return neighbourhood.check(newcomer(demand), site);
    }

    /** Returns why other pods keep a pod of the demand off a node; empty if the pod can run on the node. */
    Optional<Misfit> check(Demand demand, String node) {
        return Optional.ofNullable(nodes.get(node)).flatMap(site -> check(demand, site));
    }

    SortedSet<String> unmodelled(Demand demand) {
        return unmodelled.getOrDefault(
                demand.index(), new TreeSet<>(demand.relations().unmodelled()));
    }

    int mark() {
        return neighbourhood.mark();
    }

    void undo(int mark) {
        neighbourhood.undo(mark);
    }

    private PodsToPlace newcomer(Demand demand) {
        return newcomers.computeIfAbsent(
                demand.index(), any -> neighbourhood.newcomer(demand.shape(), demand.relations()));
    }
}
