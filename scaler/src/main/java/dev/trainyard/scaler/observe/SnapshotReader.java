package dev.trainyard.scaler.observe;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.scaler.ledger.PoolLedger;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes a {@link Snapshot} of Kubernetes objects and pool readings. Pure: the same objects give the same snapshot, in any order. */
public final class SnapshotReader {

    private SnapshotReader() {}

    /**
     * @param readings by pool; a pool without one counts as not read
     * @param ledgers by pool; a pool without one is new
     */
    public static Snapshot read(
            Instant now,
            Catalogue catalogue,
            Collection<Pod> pods,
            Collection<Node> nodes,
            Map<String, PoolReading> readings,
            Map<String, PoolLedger> ledgers) {
        var unreadable = new ArrayList<Unreadable>();
        var waiting = new ArrayList<WaitingPod>();
        var placed = new HashMap<String, List<PodOnNode>>();
        for (var pod : pods) {
            var node = PodReading.nodeName(pod);
            if (node != null && !PodReading.ended(pod)) {
                placed.computeIfAbsent(node, name -> new ArrayList<>()).add(PodReading.onNode(pod));
            } else if (PodReading.waits(pod)) {
                try {
                    waiting.add(PodReading.waiting(pod));
                } catch (IllegalArgumentException | DateTimeException e) {
                    unreadable.add(unreadable(
                            "Pod",
                            pod.getMetadata().getNamespace(),
                            pod.getMetadata().getName(),
                            e));
                }
            }
        }
        var views = new ArrayList<NodeView>();
        for (var node : nodes) {
            var name = node.getMetadata().getName();
            var view = NodeReading.view(node, catalogue, placed.getOrDefault(name, List.of()));
            views.add(view);
            view.exempt()
                    .filter(reason -> reason.startsWith("it cannot be read"))
                    .ifPresent(reason -> unreadable.add(new Unreadable("Node", "", name, reason)));
        }
        waiting.sort(Comparator.comparing(WaitingPod::namespace).thenComparing(WaitingPod::name));
        views.sort(Comparator.comparing(NodeView::name));
        return new Snapshot(
                now, catalogue, waiting, views, pools(now, catalogue, views, readings, ledgers), unreadable);
    }

    /** What is on a node, as {@link NodeView#pods} has it. */
    public static List<PodOnNode> onNode(Collection<Pod> pods) {
        return pods.stream()
                .filter(pod -> PodReading.nodeName(pod) != null && !PodReading.ended(pod))
                .map(PodReading::onNode)
                .toList();
    }

    private static TreeMap<String, PoolView> pools(
            Instant now,
            Catalogue catalogue,
            List<NodeView> nodes,
            Map<String, PoolReading> readings,
            Map<String, PoolLedger> ledgers) {
        var byPool = new HashMap<String, List<NodeView>>();
        for (var node : nodes) {
            node.pool()
                    .ifPresent(pool -> byPool.computeIfAbsent(pool.name(), name -> new ArrayList<>())
                            .add(node));
        }
        var review = new PoolReview(catalogue, now, nodes);
        var pools = new TreeMap<String, PoolView>();
        catalogue.pools().forEach((name, pool) -> {
            var reading = readings.getOrDefault(name, PoolReading.UNREAD);
            var ledger = ledgers.getOrDefault(name, PoolLedger.EMPTY);
            pools.put(name, review.review(pool, reading, ledger, byPool.getOrDefault(name, List.of())));
        });
        return pools;
    }

    private static Unreadable unreadable(String kind, String namespace, String name, RuntimeException problem) {
        return new Unreadable(kind, namespace, name, "it cannot be read: " + problem.getMessage());
    }
}
