package dev.trainyard.scaler.observe;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.node.NodeNotice.Kind;
import dev.trainyard.core.pool.Pool;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The nodes whose machines are broken: the nodes that have lost GPUs, and the choice of the machines that are replaced now. */
final class SickNodes {

    private SickNodes() {}

    /**
     * Returns how long a node must be without its GPUs until its machine counts as sick: the pool's {@code provisionTimeout}. A device plugin
     * that restarts, or a driver that is compiled again, takes no longer. Empty if the node has lost no GPU.
     */
    static Optional<Duration> lostGpus(NodeReading node, Catalogue catalogue, MachineOwners owners) {
        return node.marks().mostGpus() == 0
                ? Optional.empty()
                : node.pool(catalogue, owners)
                        .filter(pool ->
                                Math.min(pool.promisedGpus(), node.marks().mostGpus()) > node.gpus(pool))
                        .map(Pool::provisionTimeout);
    }

    /**
     * Returns the nodes, with all sick machines beyond the limits of their pools as {@link Kind#SICK_LATER}. Machines whose replacement has
     * begun come first, then those that have been sick for the longest time. A machine on which only pods are left that cannot be evicted
     * neither begins nor counts: it might keep its pods for days, and hold up machines that could be replaced.
     *
     * @param isRead whether a pool was read from its cloud
     */
    static List<NodeView> limited(List<NodeView> nodes, Predicate<Pool> isRead, StayingPods staying) {
        if (nodes.stream().noneMatch(SickNodes::isSick)) {
            return nodes;
        }
        var chosen = chosen(nodes, isRead, node -> node.stayingBecause(staying).isEmpty());
        return nodes.stream()
                .map(node -> node.notice()
                        .filter(notice -> isSick(node) && !chosen.contains(node.name()))
                        .map(notice -> node.with(notice.later()))
                        .orElse(node))
                .toList();
    }

    private static Set<String> chosen(List<NodeView> nodes, Predicate<Pool> isRead, Predicate<NodeView> canBeEmptied) {
        var sizes = new HashMap<String, Integer>();
        var replaced = new HashMap<String, Integer>();
        for (var node : nodes) {
            if (node.pool().isPresent() && !node.foreign()) {
                sizes.merge(pool(node), 1, Integer::sum);
                if (node.isRemovedAsSick() && canBeEmptied.test(node)) {
                    replaced.merge(pool(node), 1, Integer::sum);
                }
            }
        }
        var chosen = new HashSet<String>();
        inTurn(nodes, isRead).forEach(node -> {
            int limit = node.pool()
                    .map(Pool::sick)
                    .map(sick -> sick.limit(sizes.getOrDefault(pool(node), 0)))
                    .orElse(0);
            if (node.isRemovedAsSick()) {
                chosen.add(node.name());
            } else if (canBeEmptied.test(node) && replaced.getOrDefault(pool(node), 0) < limit) {
                replaced.merge(pool(node), 1, Integer::sum);
                chosen.add(node.name());
            }
        });
        return chosen;
    }

    /**
     * Returns the nodes of the sick machines that may be replaced: those whose replacement has begun, then those that have been sick for the
     * longest time.
     */
    static List<NodeView> inTurn(List<NodeView> nodes, Predicate<Pool> isRead) {
        return nodes.stream()
                .filter(node -> isSick(node) && mayBeReplaced(node, isRead))
                .sorted(Comparator.comparing((NodeView node) -> !node.isRemovedAsSick())
                        .thenComparing(
                                node -> node.notice().map(NodeNotice::since).orElse(Instant.MAX))
                        .thenComparing(NodeView::name))
                .toList();
    }

    /**
     * Whether the scaler may replace the machine. A machine that is not usable yet is given up by its launch deadline instead. While the
     * pool cannot be read, the node may be on none of the pool's machines. A node that others have cordoned is left to them, unless the sign
     * is a label: the tool that sets the label cordons the node.
     */
    private static boolean mayBeReplaced(NodeView node, Predicate<Pool> isRead) {
        return node.pool().isPresent()
                && !node.foreign()
                && node.exempt().isEmpty()
                && (node.isRemovedAsSick()
                        || (node.usable() && node.pool().filter(isRead).isPresent()))
                && (node.cordon().others().isEmpty()
                        || node.notice().filter(NodeNotice::isLabel).isPresent());
    }

    private static boolean isSick(NodeView node) {
        return node.notice().filter(notice -> notice.kind() == Kind.SICK).isPresent();
    }

    private static String pool(NodeView node) {
        return node.pool().map(Pool::name).orElse("");
    }
}
