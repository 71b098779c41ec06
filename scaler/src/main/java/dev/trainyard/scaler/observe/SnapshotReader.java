package dev.trainyard.scaler.observe;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.PendingPod.Turn;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A reader that makes a {@link Snapshot} from Kubernetes objects and pool readings. The result does not depend on the order of objects or
 * on earlier reads. Caches readings of pods and nodes that have not changed. Not thread-safe.
 */
public final class SnapshotReader {

    /** The {@code surroundings} of all nodes in the cache: a node's reading has no input besides the node. */
    private static final Object NOTHING = new Object();

    private final String ownNamespace;
    private final ReadingLimit limit;
    private final ReadingCache<PodView> pods = new ReadingCache<>();
    private final ReadingCache<NodeReading> nodes = new ReadingCache<>();

    /** @param ownNamespace the namespace that Trainyard itself runs in */
    public SnapshotReader(String ownNamespace) {
        this(ownNamespace, ReadingLimit.NONE);
    }

    /**
     * @param ownNamespace the namespace that Trainyard itself runs in
     * @param limit the time limit for reading pods; users may write pods that are slow to read
     */
    public SnapshotReader(String ownNamespace, ReadingLimit limit) {
        this.ownNamespace = ownNamespace;
        this.limit = limit;
    }

    /**
     * Reads a snapshot.
     *
     * @param objects the objects of the API server
     * @param readings readings by pool name; a pool without a reading counts as not read
     * @param ledgers ledgers by pool name; a pool without a ledger is new
     */
    public Snapshot read(
            Instant now,
            Catalogue catalogue,
            KubernetesObjects objects,
            Map<String, PoolReading> readings,
            Map<String, PoolLedger> ledgers) {
        var unreadable = new ArrayList<Unreadable>();
        var waiting = new ArrayList<PendingPod>();
        var placed = new HashMap<String, List<PodOnNode>>();
        var lastTraining = new HashMap<String, Instant>();
        var nodeReadings = new ArrayList<NodeReading>();
        var notices = new HashMap<String, NodeNotice>();
        var readyNodes = new HashSet<String>();
        var owners = MachineOwners.of(catalogue.pools(), readings);
        for (var node : objects.nodes()) {
            var reading = nodes.read(node, NOTHING, () -> NodeReading.of(node));
            nodeReadings.add(reading);
            var notice = catalogue
                    .notices()
                    .read(
                            node,
                            reading.isHeld(catalogue, owners),
                            SickNodes.lostGpus(reading, catalogue, owners),
                            reading.marks().isRemovedAsSick(),
                            now);
            notice.ifPresent(announced -> notices.put(reading.shape().name(), announced));
            // The scheduler does not bind a nominated pod to a node that takes no new pods.
            if (reading.ready()
                    && notice.filter(found -> found.isReclaim() || found.isSick())
                            .isEmpty()) {
                readyNodes.add(reading.shape().name());
            }
        }
        nodes.forgetOthers();
        var seen = look(objects).stream().map(pod -> pod.resolved(readyNodes)).toList();
        for (var pod : seen) {
            var node = pod.node();
            if (node != null) {
                pod.onNode()
                        .ifPresent(on -> placed.computeIfAbsent(node, name -> new ArrayList<>())
                                .add(on));
                pod.endOfTraining().ifPresent(end -> lastTraining.merge(node, end, SnapshotReader::later));
            }
            pod.waiting().ifPresent(waiting::add);
            pod.unreadable().ifPresent(unreadable::add);
        }
        var found = new ArrayList<NodeView>();
        for (var reading : nodeReadings) {
            var name = reading.shape().name();
            var view = reading.view(
                    catalogue,
                    owners,
                    PodOnNode.asOf(now, reading.ready(), placed.getOrDefault(name, List.of())),
                    Optional.ofNullable(lastTraining.get(name)),
                    Optional.ofNullable(notices.get(name)));
            found.add(view);
            view.exempt()
                    .filter(reason -> reason.startsWith("it cannot be read"))
                    .ifPresent(reason -> unreadable.add(new Unreadable("Node", "", name, reason)));
        }
        waiting.sort(Comparator.comparing(PendingPod::namespace).thenComparing(PendingPod::name));
        found.sort(Comparator.comparing(NodeView::name));
        var daemons = readable(objects.daemonSets(), DaemonReading::read, set -> List.<Daemon>of(), unreadable);
        var budgets = budgets(objects, unreadable);
        var staying = StayingPods.of(found, objects.pods(), catalogue.tiers(), budgets, owners::isRead, now);
        var views = SickNodes.limited(found, owners::isRead, staying);
        var gangNotices = GangNotices.of(views, objects.pods(), catalogue.tiers(), staying);
        var leaving = LeavingPods.of(views, gangNotices, objects.pods(), staying);
        var gangs = gangs(seen, waiting, leaving, objects.gangObjects());
        return new Snapshot(
                now,
                catalogue,
                inGangs(waiting, gangs, catalogue.tiers()),
                inGangs(leaving, gangs, catalogue.tiers()),
                staying,
                gangNotices,
                List.of(),
                views,
                pools(now, catalogue, views, daemons, readings, ledgers),
                daemons,
                budgets,
                gangs.members(),
                PodRelationsIndex.of(seen),
                Deadlines.NONE,
                unreadable);
    }

    /** Returns the gangs of pending pods. A leaving member is planned for, so it does not count as serving too. */
    private static GangReading gangs(
            List<PodView> pods, List<PendingPod> waiting, List<PendingPod> leaving, GangObjects objects) {
        var planned = Stream.concat(waiting.stream(), leaving.stream())
                .map(PendingPod::uid)
                .collect(Collectors.toSet());
        return GangReading.of(
                pods.stream().flatMap(pod -> pod.ofGang().stream()).toList(), planned, objects);
    }

    private static List<PendingPod> inGangs(List<PendingPod> pods, GangReading gangs, Map<String, Tier> tiers) {
        return pods.stream()
                .map(pod -> {
                    var gang = Optional.ofNullable(gangs.views().get(pod.uid()));
                    return pod.withGang(gang, turn(pod, gang, gangs, tiers));
                })
                .toList();
    }

    /** Returns how the gang of a pod starts. A gated pod whose tier is missing waits for the tier: a removed gate cannot be set again. */
    private static Turn turn(PendingPod pod, Optional<GangView> gang, GangReading gangs, Map<String, Tier> tiers) {
        var name = pod.shape().tier();
        var tier = name == null ? null : tiers.get(name);
        boolean whole = tier == null ? name != null && pod.gated() : tier.gangsStartWhole();
        if (gang.isEmpty() || !whole) {
            return Turn.ALONE;
        }
        return !gangs.waits(gang.get()) ? Turn.BEGUN : pod.gated() ? Turn.WAITS : Turn.ALONE;
    }

    private List<PodView> look(KubernetesObjects objects) {
        var labels = new HashMap<String, Optional<Map<String, String>>>();
        var seen = new ArrayList<PodView>();
        limit.begin();
        for (var pod : objects.pods()) {
            var ofNamespace = labels.computeIfAbsent(
                    Objects.requireNonNullElse(pod.getMetadata().getNamespace(), ""), objects.namespaceLabels());
            seen.add(pods.tryRead(pod, ofNamespace, () -> readInTime(pod, ofNamespace))
                    .orElseGet(() -> PodView.late(pod)));
        }
        pods.forgetOthers();
        return seen;
    }

    private Optional<PodView> readInTime(Pod pod, Optional<Map<String, String>> namespaceLabels) {
        var metadata = pod.getMetadata();
        var key = "%s/%s/%s/%s %s"
                .formatted(
                        metadata.getNamespace(),
                        metadata.getName(),
                        metadata.getUid(),
                        metadata.getResourceVersion(),
                        namespaceLabels);
        return limit.read(key, () -> PodView.of(pod, ownNamespace, namespaceLabels));
    }

    /** Returns how many pods and nodes are cached. */
    int remembered() {
        return pods.size() + nodes.size();
    }

    private static List<DisruptionBudget> budgets(KubernetesObjects objects, List<Unreadable> unreadable) {
        var placed = objects.pods().stream()
                .filter(pod -> PodReading.nodeName(pod) != null && !PodReading.ended(pod))
                .toList();
        return readable(
                objects.budgets(),
                budget -> BudgetReading.read(budget, placed),
                // The pods of a malformed budget are unknown, so it protects all pods of its namespace.
                budget -> List.of(BudgetReading.strictest(budget, placed)),
                unreadable);
    }

    /**
     * Reads objects in the order of namespace and name. An unreadable object is reported and replaced by the result of {@code otherwise}.
     */
    private static <T extends HasMetadata, R> List<R> readable(
            List<T> objects, Function<T, R> reading, Function<T, List<R>> otherwise, List<Unreadable> unreadable) {
        var read = new ArrayList<R>();
        objects.stream().sorted(SnapshotReader::byNamespaceAndName).forEach(object -> {
            try {
                read.add(reading.apply(object));
            } catch (RuntimeException e) {
                read.addAll(otherwise.apply(object));
                unreadable.add(Unreadable.of(object.getKind(), object.getMetadata(), e));
            }
        });
        return read;
    }

    private static int byNamespaceAndName(HasMetadata a, HasMetadata b) {
        return Comparator.comparing((HasMetadata object) -> object.getMetadata().getNamespace())
                .thenComparing(object -> object.getMetadata().getName())
                .compare(a, b);
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    /**
     * Reads the pods of a node. Leaves out ended pods and pods that are not bound to a node.
     *
     * @param ownNamespace the namespace that Trainyard itself runs in
     */
    public static List<PodOnNode> onNode(Collection<Pod> pods, String ownNamespace) {
        return pods.stream()
                .filter(pod -> PodReading.nodeName(pod) != null && !PodReading.ended(pod))
                .map(pod -> PodReading.onNode(pod, ownNamespace))
                .toList();
    }

    private static NavigableMap<String, PoolView> pools(
            Instant now,
            Catalogue catalogue,
            List<NodeView> nodes,
            List<Daemon> daemons,
            Map<String, PoolReading> readings,
            Map<String, PoolLedger> ledgers) {
        var byPool = new HashMap<String, List<NodeView>>();
        for (var node : nodes) {
            node.pool()
                    .filter(pool -> !node.foreign())
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

    /** Reviews a pool. If the review fails, the pool is treated like one that cannot be read. */
    private static PoolView review(
            PoolReview review, Pool pool, PoolReading reading, PoolLedger ledger, List<NodeView> nodes) {
        try {
            return review.review(pool, reading, ledger, nodes);
        } catch (RuntimeException e) {
            return review.unread(pool, "it cannot be evaluated: " + e, ledger);
        }
    }
}
