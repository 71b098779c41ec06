package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Misfit;
import dev.trainyard.core.fit.Neighbourhood;
import dev.trainyard.core.fit.Newcomer;
import dev.trainyard.core.fit.Site;
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
 * Puts pods on machines that other pods have a say in, one by one: host ports, pod affinity and anti-affinity, topology spread. Serves one
 * pass of planning after the other; each begins with {@link #reset}.
 */
final class Seating {

    private final Outlook outlook;
    private final Neighbourhood neighbourhood = new Neighbourhood();
    private final Map<String, Site> nodes = new HashMap<>();
    private final Map<Integer, Newcomer> newcomers = new HashMap<>();
    /** By demand: what was left out of account since nobody can tell where a machine will be. */
    private final Map<Integer, SortedSet<String>> unmodelled = new HashMap<>();

    /** By pool. */
    private final Map<String, Boolean> known = new HashMap<>();

    private final int beginning;

    Seating(Outlook outlook) {
        this.outlook = outlook;
        var snapshot = outlook.snapshot();
        for (var node : snapshot.nodes()) {
            var site = add(node);
            nodes.put(node.name(), site);
            for (var pod : node.pods()) {
                var neighbour = snapshot.neighbours().of(pod.uid());
                neighbourhood.settle(neighbour.relations(), neighbour.hostPorts(), pod.terminating(), site);
            }
        }
        for (int pool = 0; pool < outlook.pools().size(); pool++) {
            if (outlook.refusal(pool).isEmpty() && outlook.pool(pool).room() > 0) {
                neighbourhood.promise(outlook.pool(pool).template());
            }
        }
        beginning = neighbourhood.mark();
    }

    /** A node that has just joined gets the labels that its pool promises in a moment, and those that its pool's nodes usually have. */
    private Site add(NodeView node) {
        var pool = node.pool().map(p -> outlook.snapshot().pools().get(p.name()));
        if (pool.isEmpty() || !node.registering()) {
            return neighbourhood.addNode(node.uncordoned());
        }
        var template = pool.get().template();
        var labels = new HashMap<>(template.labels());
        labels.put(Neighbourhood.HOSTNAME, node.name());
        labels.putAll(node.shape().labels());
        var shape = new NodeShape(node.name(), labels, template.taints(), true, template.allocatable(), template.gpu());
        return neighbourhood.addNode(shape, mayHave(pool.get()));
    }

    private Predicate<String> mayHave(PoolView pool) {
        var nodes = pool.ledger().nodes();
        return knowsLabels(pool) ? nodes::mayHave : label -> true;
    }

    /** Whether it is known which labels nodes of the pool have: as long as there is one, and for a while after. */
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

    /** The site of a bin's machine that has one. */
    Optional<Site> siteOf(Bin bin) {
        return bin.site != null ? Optional.of(bin.site) : Optional.ofNullable(nodes.get(bin.node));
    }

    Site newMachine(int pool) {
        return neighbourhood.addMachine(outlook.pool(pool).template(), mayHave(outlook.pool(pool)));
    }

    /**
     * A label that the demand needs on a machine of the pool, and of which nobody knows whether the machine will have it: the pool does not
     * promise the label, and had no node yet.
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
     * Puts as many pods there as may be, one after the other.
     *
     * @param most as many as there is room for
     * @return how many
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

    /** Why a pod of the demand cannot be on a node, as far as other pods are concerned. */
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

    private Newcomer newcomer(Demand demand) {
        return newcomers.computeIfAbsent(
                demand.index(), any -> neighbourhood.newcomer(demand.shape(), demand.relations()));
    }
}
