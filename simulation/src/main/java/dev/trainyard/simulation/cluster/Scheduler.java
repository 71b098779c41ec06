package dev.trainyard.simulation.cluster;

import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.fit.PodTopology;
import dev.trainyard.core.fit.Site;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.RelationsReader;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Informer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A kube-scheduler with the Trainyard extender. This scheduler places one pod at a time, by priority and age, and does not preempt.
 * {@link Fit} and {@link PodTopology} filter the nodes by kube-scheduler's rules, then the extender filters and scores the remaining nodes.
 */
final class Scheduler {

    /** The duration of one attempt. A scheduler on a typical control plane places some hundred pods per second. */
    private static final Duration ATTEMPT = Duration.ofMillis(5);

    private final VirtualTime time;
    private final ApiServer server;
    private final Optional<ExtenderModel> extender;
    private final Function<Pod, Optional<String>> refuses;
    private final Informer<Pod> pods;
    private final Informer<Namespace> namespaces;
    private final TreeMap<String, NodeSlot> nodes = new TreeMap<>();
    private final SchedulingQueue queue;
    /** The nodes of pods, including bindings that the watch does not show yet. */
    private final Map<String, String> places = new HashMap<>();
    /** By pod: the node on which room is reserved for the pod. */
    private final Map<String, String> nominations = new HashMap<>();
    /** The placed pods with anti-affinity, which may exclude other pods. */
    private final Set<String> keepers = new HashSet<>();
    /** Shapes that have fitted no node since capacity was last freed, with the reasons. */
    private final Map<PodShape, String> hopeless = new HashMap<>();

    private boolean busy;

    /** @param refuses returns why a rule excludes a pod from every node; empty if no such rule applies */
    Scheduler(
            VirtualTime time,
            ApiServer server,
            Optional<ExtenderModel> extender,
            Function<Pod, Optional<String>> refuses,
            Lag lag) {
        this.time = time;
        this.server = server;
        this.extender = extender;
        this.refuses = refuses;
        this.queue = new SchedulingQueue(time, this::goOn);
        this.namespaces = server.namespaces().inform(lag);
        server.nodes().inform(lag).tell(new Nodes());
        this.pods = server.pods().inform(lag);
        pods.tell(new PodsSeen());
    }

    private void goOn() {
        if (!busy && queue.hasReady()) {
            busy = true;
            time.after(ATTEMPT, this::attempt);
        }
    }

    private void attempt() {
        busy = false;
        queue.take().ifPresent(key -> pods.get(key).ifPresent(pod -> attempt(key, pod)));
        goOn();
    }

    private void attempt(String key, Pod pod) {
        try {
            var refusal = refuses.apply(pod);
            if (refusal.isPresent()) {
                leaveWaiting(key, why(nodeCount(), Map.of(refusal.get(), nodeCount())));
                return;
            }
            var shape = PodReader.shapeOf(pod);
            var relations = RelationsReader.relationsOf(pod, this::labels);
            boolean alone = !relations.demands() && shape.hostPorts().isEmpty() && keepers.isEmpty();
            var nominated = giveUpNomination(key);
            var known = alone && nominated.isEmpty() ? hopeless.get(shape) : null;
            var verdict = known == null
                    ? choose(pod, shape, relations, alone, nominated)
                    : new Verdict(Optional.empty(), known);
            if (verdict.node().isPresent()) {
                bind(key, pod, shape, verdict.node().get());
            } else {
                if (alone) {
                    hopeless.put(shape, verdict.why());
                }
                nominated.ifPresent(any -> roomWasMade());
                leaveWaiting(key, verdict.why());
            }
        } catch (IllegalArgumentException e) {
            // A real API server refuses such a pod, so kube-scheduler would never see it.
            queue.failed(key);
        }
    }

    private void leaveWaiting(String key, String why) {
        queue.failed(key);
        server.pods().changeIfThere(key, before -> Pods.unschedulable(before, why, server.now()));
    }

    private int nodeCount() {
        return (int)
                nodes.values().stream().filter(slot -> slot.shape() != null).count();
    }

    private record Verdict(Optional<String> node, String why) {}

    /** @param nominated the node that is tried first */
    private Verdict choose(Pod pod, PodShape shape, PodRelations relations, boolean alone, Optional<String> nominated) {
        var refusals = new TreeMap<String, Integer>();
        var feasible = new ArrayList<String>();
        int all = 0;
        var neighbours = alone ? null : new Neighbours();
        for (var entry : nodes.entrySet()) {
            var node = entry.getValue().shape();
            if (node == null) {
                continue;
            }
            all++;
            var misfit = Fit.check(shape, node, entry.getValue().free());
            if (misfit.isEmpty() && neighbours != null) {
                misfit = neighbours.around.check(
                        neighbours.around.newcomer(shape, relations),
                        Objects.requireNonNull(neighbours.sites.get(entry.getKey())));
            }
            if (misfit.isPresent()) {
                refusals.merge(misfit.get().reason(), 1, Integer::sum);
            } else {
                feasible.add(entry.getKey());
            }
        }
        if (feasible.isEmpty()) {
            return new Verdict(Optional.empty(), why(all, refusals));
        }
        var preferred = nominated.filter(feasible::contains);
        if (extender.isEmpty()) {
            return new Verdict(Optional.of(preferred.orElse(feasible.get(0))), "");
        }
        if (preferred.isPresent()
                && !extender.get()
                        .filter(pod, List.of(preferred.get()))
                        .passed()
                        .isEmpty()) {
            return new Verdict(preferred, "");
        }
        var judged = extender.get().filter(pod, feasible);
        judged.refusals().forEach((reason, count) -> refusals.merge(reason, count, Integer::sum));
        return judged.passed().isEmpty()
                ? new Verdict(Optional.empty(), why(all, refusals))
                : new Verdict(Optional.of(extender.get().best(judged)), "");
    }

    private static String why(int nodes, Map<String, Integer> refusals) {
        return nodes == 0
                ? "no nodes available to schedule pods"
                : "0/%d nodes are available: %s."
                        .formatted(
                                nodes,
                                refusals.entrySet().stream()
                                        .map(entry -> entry.getValue() + " " + entry.getKey())
                                        .sorted()
                                        .collect(Collectors.joining(", ")));
    }

    private void bind(String key, Pod pod, PodShape shape, String node) {
        try {
            var bound = server.pods().change(key, null, before -> {
                if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
                    throw new ApiException(ApiException.CONFLICT, key + " was replaced by a pod of the same name");
                }
                return Pods.bound(before, node, server.now());
            });
            queue.remove(key);
            settle(key, bound, shape, node);
        } catch (ApiException e) {
            // The pod was deleted in the meantime. The watch will report that.
            queue.failed(key);
        }
    }

    private void settle(String key, Pod pod, PodShape shape, String node) {
        var before = places.put(key, node);
        if (before != null && !before.equals(node)) {
            slot(before).remove(key);
        }
        slot(node).add(key, pod, shape.requests());
        if (keepsOthersAway(pod)) {
            keepers.add(key);
        }
    }

    /** Reserves the room for which a pod is nominated. Unlike here, a real scheduler gives such room to pods of a higher priority. */
    private void nominate(String key, Pod pod) {
        var node = pod.getStatus() == null ? null : pod.getStatus().getNominatedNodeName();
        if (!Objects.equals(node, nominations.get(key))) {
            giveUpNomination(key).ifPresent(any -> roomWasMade());
            if (node != null && !node.isEmpty()) {
                nominations.put(key, node);
                slot(node).add(key, pod, PodReader.shapeOf(pod).requests());
            }
        }
    }

    /** Frees the room for which a pod is nominated, and returns the node. */
    private Optional<String> giveUpNomination(String key) {
        var node = Optional.ofNullable(nominations.remove(key));
        node.ifPresent(name -> slot(name).remove(key));
        return node;
    }

    private void leave(String key) {
        giveUpNomination(key).ifPresent(any -> roomWasMade());
        var node = places.remove(key);
        keepers.remove(key);
        if (node != null) {
            var slot = slot(node);
            slot.remove(key);
            if (slot.isEmpty()) {
                nodes.remove(node);
            }
            roomWasMade();
        }
    }

    private void roomWasMade() {
        hopeless.clear();
        queue.mayFitNow();
    }

    private NodeSlot slot(String node) {
        return nodes.computeIfAbsent(node, name -> new NodeSlot());
    }

    private Optional<Map<String, String>> labels(String namespace) {
        return namespaces
                .get(namespace)
                .map(object ->
                        Optional.ofNullable(object.getMetadata().getLabels()).orElse(Map.of()));
    }

    private static boolean keepsOthersAway(Pod pod) {
        return pod.getSpec().getAffinity() != null
                && pod.getSpec().getAffinity().getPodAntiAffinity() != null;
    }

    /** The current placement of all pods, for the checks of inter-pod constraints. */
    private final class Neighbours {
        private final PodTopology around = new PodTopology();
        private final Map<String, Site> sites = new HashMap<>();

        private Neighbours() {
            nodes.forEach((name, slot) -> {
                if (slot.shape() != null) {
                    var site = around.addNode(slot.shape());
                    sites.put(name, site);
                    for (var pod : List.copyOf(slot.pods())) {
                        around.settle(
                                RelationsReader.relationsOf(pod, Scheduler.this::labels),
                                PodReader.hostPortsOf(pod),
                                Pods.leaves(pod),
                                site);
                    }
                }
            });
        }
    }

    private final class Nodes implements Watch<Node> {
        @Override
        public void added(Node node) {
            slot(node.getMetadata().getName()).see(node);
            roomWasMade();
        }

        @Override
        public void changed(Node before, Node after) {
            slot(after.getMetadata().getName()).see(after);
            roomWasMade();
        }

        @Override
        public void removed(Node last) {
            var name = last.getMetadata().getName();
            var slot = slot(name);
            slot.see(null);
            if (slot.isEmpty()) {
                nodes.remove(name);
            }
            hopeless.clear(); // the cached reasons count the removed node
        }
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            see(pod);
        }

        @Override
        public void changed(Pod before, Pod after) {
            see(after);
        }

        @Override
        public void removed(Pod last) {
            var key = ObjectStore.key(last);
            queue.remove(key);
            leave(key);
        }

        private void see(Pod pod) {
            var key = ObjectStore.key(pod);
            var node = Pods.node(pod);
            if (Pods.ended(pod)) {
                queue.remove(key);
                leave(key);
            } else if (node.isPresent()) {
                queue.remove(key);
                giveUpNomination(key);
                settle(key, pod, PodReader.shapeOf(pod), node.get());
            } else if (!Pods.leaves(pod) && !places.containsKey(key)) {
                nominate(key, pod);
                if (Pods.isGated(pod)) {
                    return;
                }
                queue.add(key, Optional.ofNullable(pod.getSpec().getPriority()).orElse(0));
            }
        }
    }
}
