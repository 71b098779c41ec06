package dev.trainyard.extender.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.NoticeTable;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.extender.gpu.GpuRoom;
import dev.trainyard.extender.node.NodeProfile.OutOfService;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.PodWatcher;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An index with one {@link IndexedState} for each node. A state reflects the last events of nodes, pods and configuration, in whatever
 * order they arrive. Reading one state takes no lock and costs a map look-up; writes are serialised. A repeated event changes nothing.
 *
 * <p>An unreadable node or pod is left out with one warning, and does not affect the others.
 */
public final class NodeIndex {

    private static final Logger log = LoggerFactory.getLogger(NodeIndex.class);

    /** @param outOfService see {@link NodeProfile#outOfService} */
    private record Known(
            NodeShape shape, boolean removing, @Nullable OutOfService outOfService, Instant created) {}

    /**
     * The time within which the scaler labels a new node with its pool. The scaler scans the cluster every 10 s by default, and a frozen
     * scaler is replaced within 20 s.
     */
    private static final Duration LABELLED_WITHIN = Duration.ofMinutes(1);

    private final InstantSource clock;
    private final NodeTable table = new NodeTable(); // written under the lock of this

    // The data that states are computed from; guarded by this.
    private final SharedStates shared = new SharedStates();
    private final Map<String, Known> nodes = new HashMap<>();
    private final Map<String, PodFacts> pods = new LinkedHashMap<>();
    private final Map<String, Set<String>> podsByNode = new HashMap<>();
    private final Set<String> unreadable = new HashSet<>();
    private final List<PodWatcher> podWatchers = new ArrayList<>();
    private final List<NodeWatcher> nodeWatchers = new ArrayList<>();
    private Catalogue catalogue = Catalogue.EMPTY;

    /** @param clock decides whether a node has just joined */
    public NodeIndex(InstantSource clock) {
        this.clock = clock;
    }

    /** Returns the state of a node; null if the node is unknown or unreadable. */
    public @Nullable IndexedState get(String name) {
        var node = table.find(name);
        return node == null ? null : node.state();
    }

    /** Returns the node with this name; an unknown node has no state. */
    public IndexedNode node(String name) {
        var node = table.find(name);
        return node == null ? IndexedNode.unknown(name) : node;
    }

    /**
     * Returns nodes as {@link #node(String)} does, for names in an array.
     *
     * @param json holds name {@code i} from {@code ends[2 * i]} to {@code ends[2 * i + 1]}, in ASCII without characters that JSON escapes
     */
    public List<IndexedNode> nodes(byte[] json, int[] ends, int count) {
        var found = table.find(json, ends, count);
        var nodes = new IndexedNode[count];
        for (int i = 0; i < count; i++) {
            var node = found[i];
            int from = ends[2 * i];
            nodes[i] =
                    node == null ? IndexedNode.unknown(new String(json, from, ends[2 * i + 1] - from, US_ASCII)) : node;
        }
        return Arrays.asList(nodes);
    }

    /** Returns the number of known nodes. */
    public synchronized int size() {
        return table.size();
    }

    /** Returns all states at one moment, by node name. */
    public synchronized Map<String, IndexedState> snapshot() {
        var states = new HashMap<String, IndexedState>();
        for (var node : table.nodes()) {
            var state = node.state();
            if (state != null) {
                states.put(node.name(), state);
            }
        }
        return states;
    }

    /** Adds a watcher, which receives all current pods and then every change. */
    public synchronized void watch(PodWatcher watcher) {
        pods.values().forEach(watcher::seen);
        podWatchers.add(watcher);
    }

    /** Adds a watcher, which receives every change from now on. */
    public synchronized void watch(NodeWatcher watcher) {
        nodeWatchers.add(watcher);
    }

    /** Adds or updates a node. */
    public synchronized void put(Node node) {
        var name = node.getMetadata().getName();
        var known = read(
                node,
                () -> new Known(NodeReader.shapeOf(node), isBeingRemoved(node), outOfService(node), created(node)));
        if (known.isPresent()) {
            nodes.put(name, known.get());
        } else {
            nodes.remove(name);
        }
        refresh(name);
    }

    /** Removes a node. */
    public synchronized void remove(Node node) {
        nodes.remove(node.getMetadata().getName());
        unreadable.remove(key(node));
        refresh(node.getMetadata().getName());
    }

    /** Adds or updates a pod. A pod without a node, or a pod that has ended, uses no resources. */
    public synchronized void put(Pod pod) {
        var key = key(pod);
        var after = read(pod, () -> PodFacts.of(pod));
        if (after.isEmpty()) {
            forget(key);
            return;
        }
        var before = pods.put(key, after.get());
        if (before != null && !before.uid().equals(after.get().uid())) { // the deletion of the earlier pod was missed
            podWatchers.forEach(watcher -> watcher.gone(before));
        }
        podWatchers.forEach(watcher -> watcher.seen(after.get()));
        if (before == null || !takesTheSame(before, after.get())) {
            placeOf(before).ifPresent(node -> leave(node, key));
            placeOf(after.get()).ifPresent(node -> {
                podsByNode.computeIfAbsent(node, any -> new HashSet<>()).add(key);
                refresh(node);
            });
        }
    }

    /** Removes a pod. */
    public synchronized void remove(Pod pod) {
        unreadable.remove(key(pod));
        forget(key(pod));
    }

    /** Replaces the pools and tiers. New signs of notices count from the next change of a node on, at most five minutes later. */
    public synchronized void configure(Catalogue catalogue) {
        this.catalogue = catalogue;
        nodes.keySet().forEach(this::refresh);
    }

    private void forget(String key) {
        var last = pods.remove(key);
        if (last != null) {
            podWatchers.forEach(watcher -> watcher.gone(last));
            placeOf(last).ifPresent(node -> leave(node, key));
        }
    }

    private void leave(String node, String key) {
        podsByNode.computeIfPresent(node, (name, keys) -> {
            keys.remove(key);
            return keys.isEmpty() ? null : keys;
        });
        refresh(node);
    }

    /** Returns the node whose resources the pod uses; empty if there is none. */
    private static Optional<String> placeOf(@Nullable PodFacts pod) {
        return pod == null || pod.ended() ? Optional.empty() : pod.node();
    }

    private static boolean takesTheSame(PodFacts before, PodFacts after) {
        return placeOf(before).equals(placeOf(after))
                && before.shape().requests().equals(after.shape().requests())
                && before.gpus().equals(after.gpus())
                && before.gpuIndexes().equals(after.gpuIndexes());
    }

    private void refresh(String name) {
        var known = nodes.get(name);
        var node = table.find(name);
        var before = node == null ? null : node.state();
        var after = known == null ? null : shared.use(state(name, known, before));
        if (after != null) {
            table.put(name, after);
        } else if (node != null) {
            table.remove(node);
        }
        if (before != null) {
            shared.release(before);
            if (after != null && !before.equals(after)) {
                nodeWatchers.forEach(watcher -> watcher.changed(name, before, after));
            }
        }
    }

    private IndexedState state(String name, Known known, @Nullable IndexedState before) {
        // Computed from scratch, because a sum stops at the largest number. A later subtraction would then not undo the
        // addition.
        var used = Resources.NONE;
        var taken = new ArrayList<GpuRoom.Taken>();
        for (var key : podsByNode.getOrDefault(name, Set.of())) {
            var pod = pods.get(key);
            if (pod != null) {
                used = used.plus(pod.shape().requests());
                taken.add(new GpuRoom.Taken(pod.gpus(), pod.gpuIndexes()));
            }
        }
        var allocatable = known.shape().allocatable();
        var free = allocatable.minus(used);
        var pool = catalogue.poolOf(known.shape()).orElse(null);
        var look = new NodeProfile(
                pool,
                known.removing(),
                known.outOfService(),
                pool == null ? known.shape().gpu() : known.shape().gpu().orElse(pool.gpu()),
                allocatable.gpus() > 0,
                pool == null ? unlabelled(known) : null);
        return new IndexedState(
                before != null && before.look().equals(look) ? before.look() : shared.one(look),
                allocatable.get(ResourceNames.CPU),
                free.get(ResourceNames.CPU),
                allocatable.get(ResourceNames.MEMORY),
                free.get(ResourceNames.MEMORY),
                GpuRoom.of(allocatable.gpus(), taken));
    }

    private NodeProfile.@Nullable Unlabelled unlabelled(Known node) {
        var until = node.created().plus(LABELLED_WITHIN);
        var now = clock.instant();
        boolean young = now.isBefore(until) && !now.isBefore(node.created());
        if (!young || node.shape().labels().containsKey(Names.POOL)) {
            return null;
        }
        var pools = catalogue.candidates(node.shape()).stream().map(Pool::name).collect(Collectors.toSet());
        return pools.isEmpty() ? null : new NodeProfile.Unlabelled(pools, until);
    }

    /** Returns the creation time; the epoch if it is missing. */
    private static Instant created(Node node) {
        var created = node.getMetadata().getCreationTimestamp();
        return created == null ? Instant.EPOCH : Instant.parse(created);
    }

    /** Reads an object; empty if the object is malformed. The problem is logged once, until the object is fixed or removed. */
    private <T> Optional<T> read(HasMetadata object, Supplier<T> reading) {
        try {
            var read = reading.get();
            unreadable.remove(key(object));
            return Optional.of(read);
        } catch (RuntimeException e) {
            if (unreadable.add(key(object))) {
                log.warn("{} is ignored, because it is invalid: {}", key(object), String.valueOf(e.getMessage()));
            }
            return Optional.empty();
        }
    }

    private static String key(HasMetadata object) {
        var metadata = object.getMetadata();
        return object instanceof Pod
                ? "pod " + metadata.getNamespace() + "/" + metadata.getName()
                : "node " + metadata.getName();
    }

    private @Nullable OutOfService outOfService(Node node) {
        return catalogue
                .notices()
                .read(node, false, lostGpus(node), false, clock.instant())
                .flatMap(NodeIndex::outOfService)
                .orElse(null);
    }

    /** Returns how long the node must be without its GPUs until its machine counts as sick; empty if the scaler notes no loss. */
    private Optional<Duration> lostGpus(Node node) {
        return annotation(node, Names.NOTICED_SINCE)
                        .filter(NoticeTable::notesLostGpus)
                        .isEmpty()
                ? Optional.empty()
                : catalogue.poolOf(NodeReader.shapeOf(node)).map(Pool::provisionTimeout);
    }

    private static Optional<OutOfService> outOfService(NodeNotice notice) {
        return switch (notice.kind()) {
            case RECLAIM, LATER_RECLAIM ->
                Optional.of(new OutOfService(false, notice.deadline().minus(NodeNotice.NEAR), notice.expiry()));
            case SUSPECT, SICK, SICK_LATER -> Optional.of(new OutOfService(true, notice.deadline(), Instant.MAX));
            case CHECKPOINT, OUTLIVED, RECOVERING -> Optional.empty();
        };
    }

    private static boolean isBeingRemoved(Node node) {
        return annotation(node, Names.REMOVING).isPresent();
    }

    private static Optional<String> annotation(Node node, String name) {
        return Optional.ofNullable(node.getMetadata().getAnnotations()).map(annotations -> annotations.get(name));
    }
}
