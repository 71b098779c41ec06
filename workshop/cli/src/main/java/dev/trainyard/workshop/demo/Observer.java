package dev.trainyard.workshop.demo;

import dev.trainyard.core.Names;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.node.NoticeTable;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.scaler.observe.PodReading;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A receiver of changes of the objects in a {@link Venue}. Writes changes to the {@link Timeline}, and stores facts that scenarios need
 * later. In the methods, {@code before} is empty for a created object, and {@code after} is empty for a removed object. Thread-safe.
 */
final class Observer {

    private static final String CONTROLLERS = "trainyard.dev/trainyard-";

    private final Timeline timeline;
    private final Map<String, String> poolsOfNodes = new ConcurrentHashMap<>();
    private final Map<String, List<Integer>> targets = new TreeMap<>();
    private final Map<String, List<String>> joined = new TreeMap<>(); // names of nodes by pool; guarded by itself
    private final Set<String> presentNodes = ConcurrentHashMap.newKeySet();
    private final Set<String> refusedPods = ConcurrentHashMap.newKeySet();
    private final Set<String> saidEvents = ConcurrentHashMap.newKeySet();
    private final Map<String, Duration> firstReports = new ConcurrentHashMap<>();
    private final GangPlacements gangs = new GangPlacements();

    Observer(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Returns the pool of a present or former node; empty if the node is unknown. */
    Optional<String> poolOf(String node) {
        return Optional.ofNullable(poolsOfNodes.get(node));
    }

    /** Whether a scheduler ever reported the pod as unschedulable. */
    boolean wasRefused(Pod pod) {
        return refusedPods.contains(pod.getMetadata().getUid());
    }

    /**
     * Returns when a component first reported an Event about an object, since the start of the demo; empty if no component has. The time is
     * the component's own, so times of one component show the order of its actions.
     *
     * @param reason the reason of the Event, such as {@code ScaleUp}
     * @param object such as {@code trainingpool/light-spot}
     */
    Optional<Duration> firstReport(String reason, String object) {
        return Optional.ofNullable(firstReports.get(reason + " " + object));
    }

    /** Returns the target sizes that the pool's status has had, in order, with one entry for each change. */
    List<Integer> targets(String pool) {
        synchronized (targets) {
            return List.copyOf(targets.getOrDefault(pool, List.of()));
        }
    }

    /** Returns how a pool has grown since the start of the demo: its target sizes and its machines. */
    PoolGrowth growth(String pool) {
        var sizes = new ArrayList<>(List.of(0));
        var seen = targets(pool);
        sizes.addAll(seen.isEmpty() || seen.get(0) != 0 ? seen : seen.subList(1, seen.size()));
        synchronized (joined) {
            return new PoolGrowth(sizes, joined.getOrDefault(pool, List.of()));
        }
    }

    /** Returns how the gangs got their nodes. */
    GangPlacements gangs() {
        return gangs;
    }

    void podChanged(Optional<Pod> before, Optional<Pod> after) {
        var pod = after.orElse(null);
        if (pod == null) {
            before.ifPresent(gangs::removed);
            return;
        }
        gangs.changed(pod, timeline.now());
        var name = name(pod);
        if (before.isEmpty()) {
            var injected = pod.getMetadata().getAnnotations() == null
                    ? null
                    : pod.getMetadata().getAnnotations().get(Names.INJECTED);
            if (injected != null) {
                timeline.add("webhook", injected, name);
            } else {
                timeline.add("you", "created; the webhook left the pod unchanged", name);
            }
        }
        unschedulable(pod)
                .filter(message -> refusedPods.add(pod.getMetadata().getUid()))
                .ifPresent(message -> timeline.add(scheduler(pod), "finds no node: " + firstSentence(message), name));
        var node = pod.getSpec().getNodeName();
        if (node != null && before.map(p -> p.getSpec().getNodeName()).isEmpty()) {
            timeline.add(
                    scheduler(pod),
                    "places the pod on a machine of "
                            + poolOf(node).map(pool -> "pool " + pool).orElse("no pool"),
                    name);
        }
        if (PodReading.isEvicted(pod) && before.filter(PodReading::isEvicted).isEmpty()) {
            timeline.add(
                    "scaler",
                    "evicted, with %d s to end".formatted(pod.getMetadata().getDeletionGracePeriodSeconds()),
                    name);
        }
        var phase = pod.getStatus().getPhase();
        if (!Objects.equals(phase, before.map(p -> p.getStatus().getPhase()).orElse("Pending"))) {
            timeline.add("kubelet (simulated)", "is " + phase, name);
        }
    }

    void nodeChanged(Optional<Node> before, Optional<Node> after) {
        var node = after.or(() -> before).orElseThrow();
        var pool = Optional.ofNullable(node.getMetadata().getLabels())
                .map(labels -> labels.get(Names.POOL))
                .orElse(null);
        if (pool == null) {
            return;
        }
        var name = name(node);
        var machine = node.getMetadata().getName();
        poolsOfNodes.put(machine, pool);
        if (after.isEmpty()) {
            presentNodes.remove(machine);
            timeline.add("scaler", "removed: machine and node of pool %s are gone".formatted(pool), name);
            return;
        }
        if (presentNodes.add(machine)) {
            synchronized (joined) {
                joined.computeIfAbsent(pool, any -> new ArrayList<>()).add(machine);
            }
            timeline.add("cloud (simulated)", "joins pool " + pool + gpus(node), name);
        } else if (before.isPresent() && !gpus(before.get()).equals(gpus(node))) {
            timeline.add("cloud (simulated)", "driver is up" + gpus(node), name);
        }
        reclaim(node)
                .filter(notice -> before.flatMap(this::reclaim).isEmpty())
                .ifPresent(notice -> timeline.add(announcer(notice), "announces a reclaim: " + notice.sign(), name));
        boolean wasCordoned = before.map(Observer::isCordoned).orElse(false);
        if (isCordoned(node) && !wasCordoned) {
            timeline.add("scaler", "cordoned", name);
        } else if (!isCordoned(node) && wasCordoned) {
            timeline.add("scaler", "uncordoned", name);
        }
    }

    void poolChanged(Optional<TrainingPool> before, Optional<TrainingPool> after) {
        var pool = after.orElse(null);
        if (pool == null || pool.getStatus() == null || pool.getStatus().target() == null) {
            return;
        }
        int target = pool.getStatus().target();
        int last;
        synchronized (targets) {
            var seen = targets.computeIfAbsent(pool.getMetadata().getName(), name -> new ArrayList<>());
            last = seen.isEmpty() ? 0 : seen.get(seen.size() - 1);
            if (seen.isEmpty() || last != target) {
                seen.add(target);
            }
        }
        if (last != target) {
            timeline.add("scaler", "resized from %d to %d machines".formatted(last, target), name(pool));
        }
    }

    void eventChanged(Optional<Event> before, Optional<Event> after) {
        var event = after.orElse(null);
        if (event == null
                || event.getReportingController() == null
                || !event.getReportingController().startsWith(CONTROLLERS)
                || !saidEvents.add(event.getMetadata().getUid())) {
            return;
        }
        var about = event.getRegarding();
        var object = about.getKind().toLowerCase(Locale.ROOT)
                + (about.getNamespace() == null ? "" : "/" + about.getNamespace())
                + "/"
                + about.getName();
        report(
                event.getReportingController().substring(CONTROLLERS.length()),
                object,
                event.getReason(),
                String.valueOf(event.getNote()),
                Instant.parse(event.getEventTime().getTime()));
    }

    /** Adds a component's message about an object, unless the same message was added before. */
    void told(String component, HasMetadata about, String reason, String message) {
        if (saidEvents.add("%s|%s|%s".formatted(about.getMetadata().getUid(), reason, message))) {
            report(component, name(about), reason, message, timeline.instant());
        }
    }

    private void report(String component, String object, String reason, String message, Instant at) {
        firstReports.putIfAbsent(reason + " " + object, timeline.sinceStart(at));
        timeline.add(component, "%s: %s".formatted(reason, message), object);
    }

    private Optional<NodeNotice> reclaim(Node node) {
        return NoticeTable.BUILT_IN.read(node, timeline.instant()).filter(NodeNotice::isReclaim);
    }

    /** Returns who wrote the sign. The scaler itself writes those annotations that stand for events of a queue. */
    private static String announcer(NodeNotice notice) {
        return notice.sign().startsWith("annotation " + Names.GROUP + "/") ? "scaler" : "agent (simulated)";
    }

    private static Optional<String> unschedulable(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .filter(condition -> "PodScheduled".equals(condition.getType())
                        && "False".equals(condition.getStatus())
                        && "Unschedulable".equals(condition.getReason()))
                .map(PodCondition::getMessage)
                .findFirst();
    }

    private static String firstSentence(String message) {
        int end = message.indexOf(". ");
        return end < 0 ? message : message.substring(0, end);
    }

    private static String scheduler(Pod pod) {
        return Optional.ofNullable(pod.getSpec().getSchedulerName()).orElse("default-scheduler");
    }

    private static String gpus(Node node) {
        var allocatable = node.getStatus() == null
                ? Resources.NONE
                : NodeReader.shapeOf(node).allocatable();
        long gpus = allocatable.get(ResourceNames.GPU);
        return gpus == 0 ? ", no GPU reported" : ", reports %d GPU%s".formatted(gpus, gpus == 1 ? "" : "s");
    }

    private static boolean isCordoned(Node node) {
        return node.getSpec() != null
                && Optional.ofNullable(node.getSpec().getTaints()).orElse(List.of()).stream()
                        .anyMatch(taint -> taint.getKey().equals(Names.REMOVING));
    }

    private static String name(HasMetadata object) {
        var namespace = object.getMetadata().getNamespace();
        return object.getKind().toLowerCase(Locale.ROOT)
                + (namespace == null ? "" : "/" + namespace)
                + "/"
                + object.getMetadata().getName();
    }
}
