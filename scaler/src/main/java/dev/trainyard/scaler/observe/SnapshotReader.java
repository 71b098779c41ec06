package dev.trainyard.scaler.observe;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.ledger.PoolLedger;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Makes a {@link Snapshot} of Kubernetes objects and pool readings. Pure: the same objects give the same snapshot, in any order. */
public final class SnapshotReader {

    private SnapshotReader() {}

    /**
     * @param objects what the API server has
     * @param ownNamespace where Trainyard itself runs
     * @param readings by pool; a pool without one counts as not read
     * @param ledgers by pool; a pool without one is new
     */
    public static Snapshot read(
            Instant now,
            Catalogue catalogue,
            KubernetesObjects objects,
            String ownNamespace,
            Map<String, PoolReading> readings,
            Map<String, PoolLedger> ledgers) {
        var unreadable = new ArrayList<Unreadable>();
        var waiting = new ArrayList<WaitingPod>();
        var placed = new HashMap<String, List<PodOnNode>>();
        var serving = new HashMap<String, Integer>();
        var lastTraining = new HashMap<String, Instant>();
        for (var pod : objects.pods()) {
            PodReading.servesGang(pod).ifPresent(gang -> serving.merge(gang, 1, Integer::sum));
            var node = PodReading.nodeName(pod);
            if (node != null && !PodReading.ended(pod)) {
                placed.computeIfAbsent(node, name -> new ArrayList<>()).add(PodReading.onNode(pod, ownNamespace));
            } else if (node != null) {
                PodReading.endOfTraining(pod).ifPresent(end -> lastTraining.merge(node, end, SnapshotReader::later));
            } else if (PodReading.waits(pod)) {
                try {
                    waiting.add(PodReading.waiting(pod));
                } catch (RuntimeException e) {
                    unreadable.add(unreadable(
                            "Pod",
                            pod.getMetadata().getNamespace(),
                            pod.getMetadata().getName(),
                            e));
                }
            }
        }
        var views = new ArrayList<NodeView>();
        for (var node : objects.nodes()) {
            var name = node.getMetadata().getName();
            var view = view(
                    node, catalogue, placed.getOrDefault(name, List.of()), Optional.ofNullable(lastTraining.get(name)));
            views.add(view);
            view.exempt()
                    .filter(reason -> reason.startsWith("it cannot be read"))
                    .ifPresent(reason -> unreadable.add(new Unreadable("Node", "", name, reason)));
        }
        waiting.sort(Comparator.comparing(WaitingPod::namespace).thenComparing(WaitingPod::name));
        views.sort(Comparator.comparing(NodeView::name));
        var daemons = readable(objects.daemonSets(), DaemonReading::read, set -> List.<Daemon>of(), unreadable);
        return new Snapshot(
                now,
                catalogue,
                waiting,
                views,
                pools(now, catalogue, views, daemons, readings, ledgers),
                daemons,
                budgets(objects, unreadable),
                serving,
                Neighbours.read(concerned(objects.pods()), objects.namespaceLabels()),
                unreadable);
    }

    private static List<DisruptionBudget> budgets(KubernetesObjects objects, List<Unreadable> unreadable) {
        var placed = objects.pods().stream()
                .filter(pod -> PodReading.nodeName(pod) != null && !PodReading.ended(pod))
                .toList();
        return readable(
                objects.budgets(),
                budget -> BudgetReading.read(budget, placed),
                // Whom it protects cannot be told, so that it protects all whom it might.
                budget -> List.of(BudgetReading.strictest(budget, placed)),
                unreadable);
    }

    /** By namespace and name. Those that cannot be read are reported, and {@code otherwise} stands in for them. */
    private static <T extends HasMetadata, R> List<R> readable(
            List<T> objects, Function<T, R> reading, Function<T, List<R>> otherwise, List<Unreadable> unreadable) {
        var read = new ArrayList<R>();
        objects.stream().sorted(SnapshotReader::byNamespaceAndName).forEach(object -> {
            try {
                read.add(reading.apply(object));
            } catch (RuntimeException e) {
                read.addAll(otherwise.apply(object));
                var metadata = object.getMetadata();
                unreadable.add(unreadable(object.getKind(), metadata.getNamespace(), metadata.getName(), e));
            }
        });
        return read;
    }

    private static int byNamespaceAndName(HasMetadata a, HasMetadata b) {
        return Comparator.comparing((HasMetadata object) -> object.getMetadata().getNamespace())
                .thenComparing(object -> object.getMetadata().getName())
                .compare(a, b);
    }

    private static List<Pod> concerned(List<Pod> pods) {
        return pods.stream()
                .filter(pod -> PodReading.nodeName(pod) != null ? !PodReading.ended(pod) : PodReading.waits(pod))
                .toList();
    }

    /** Whatever is wrong with a node, it stays, and so does what is on it: a node that is left out looks like a machine that never joined. */
    private static NodeView view(Node node, Catalogue catalogue, List<PodOnNode> pods, Optional<Instant> lastTraining) {
        try {
            return NodeReading.view(node, catalogue, pods, lastTraining);
        } catch (RuntimeException e) {
            var labels = node.getMetadata().getLabels();
            var shape = new NodeShape(
                    node.getMetadata().getName(), labels == null ? Map.of() : labels, List.of(), false, Resources.NONE);
            var seen = Marks.usable(Instant.EPOCH);
            return new NodeView(
                    shape,
                    node.getSpec() == null ? null : node.getSpec().getProviderID(),
                    catalogue.poolOf(shape),
                    false,
                    Optional.empty(),
                    Instant.EPOCH,
                    seen,
                    lastTraining,
                    Optional.of("it cannot be read: " + e.getMessage()),
                    pods);
        }
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    /**
     * What is on a node, as {@link NodeView#pods} has it.
     *
     * @param ownNamespace where Trainyard itself runs
     */
    public static List<PodOnNode> onNode(Collection<Pod> pods, String ownNamespace) {
        return pods.stream()
                .filter(pod -> PodReading.nodeName(pod) != null && !PodReading.ended(pod))
                .map(pod -> PodReading.onNode(pod, ownNamespace))
                .toList();
    }

    private static TreeMap<String, PoolView> pools(
            Instant now,
            Catalogue catalogue,
            List<NodeView> nodes,
            List<Daemon> daemons,
            Map<String, PoolReading> readings,
            Map<String, PoolLedger> ledgers) {
        var byPool = new HashMap<String, List<NodeView>>();
        for (var node : nodes) {
            node.pool()
                    .ifPresent(pool -> byPool.computeIfAbsent(pool.name(), name -> new ArrayList<>())
                            .add(node));
        }
        var review = new PoolReview(catalogue, now, nodes, daemons);
        var pools = new TreeMap<String, PoolView>();
        catalogue.pools().forEach((name, pool) -> {
            var reading = readings.getOrDefault(name, PoolReading.UNREAD);
            var ledger = ledgers.getOrDefault(name, PoolLedger.EMPTY);
            pools.put(name, review(review, pool, reading, ledger, byPool.getOrDefault(name, List.of())));
        });
        return pools;
    }

    /** A pool that cannot be reckoned with changes as little as one that cannot be read. */
    private static PoolView review(
            PoolReview review, Pool pool, PoolReading reading, PoolLedger ledger, List<NodeView> nodes) {
        try {
            return review.review(pool, reading, ledger, nodes);
        } catch (RuntimeException e) {
            return review.unread(pool, "it cannot be reckoned with: " + e, ledger);
        }
    }

    private static Unreadable unreadable(String kind, String namespace, String name, RuntimeException problem) {
        return new Unreadable(kind, namespace, name, "it cannot be read: " + problem.getMessage());
    }
}
