package dev.trainyard.extender.nudge;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.filter.Refusal;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.node.NodeWatcher;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.PodWatcher;
import dev.trainyard.extender.pod.TieredPod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The pods that the extender left without a node, and which of them are to be nudged: those that might have a node now which they were
 * refused before. Whoever tells it something is not kept waiting: what was told is looked at by {@link #due}, which one thread calls,
 * again and again. Otherwise thread-safe.
 *
 * <p>Pods that it is told of before the first turn, and of which the scheduler says that we refused them, were refused by an extender that
 * is no more: those are judged by all nodes that there are.
 */
public final class WaitingPods implements PodWatcher, NodeWatcher {

    /** The one that was refused the longest ago is dropped for a new one: the scheduler tries it again within five minutes. */
    static final int MOST = 10_000;

    /** Of so many it keeps the nodes that they were refused; thousands of them each are no small thing. */
    static final int MOST_NAMES = 256;

    /**
     * The pods to nudge now.
     *
     * @param suppressed how many pods have to wait for their nudge, which did not before
     */
    public record Due(List<PodFacts> pods, int suppressed) {}

    private static final class Waiting {
        private PodFacts pod;
        /** Whether it was said already that its nudge has to wait. */
        private boolean suppressed;

        Waiting(PodFacts pod) {
            this.pod = pod;
        }
    }

    /** What happened since the last turn. */
    private record Told(Map<String, Change> changes, List<PodFacts> pods, List<Refused> refused) {}

    /** @param nodes that it was refused just now; empty when they are not known, or were too many to keep: then any node counts */
    private record Refused(PodFacts pod, List<IndexedNode> nodes) {}

    /**
     * A change that was told before a pod was, although it came after the pod's verdict, is no older than a call of the scheduler may
     * take, which is far less than so many turns.
     */
    private static final int TURNS_OF_DOUBT = 40;

    private final Reach reach;

    // Guarded by this.
    private final Map<String, Waiting> pods = new LinkedHashMap<>();
    private final Set<String> hopeful = new LinkedHashSet<>();
    private final Pace pace = new Pace(2 * MOST);
    private Map<String, Change> changes = new HashMap<>();
    private Map<String, List<IndexedNode>> fresh = new HashMap<>();
    private boolean begun;

    // Of the one thread that calls due().
    private Catalogue judgedBy = Catalogue.EMPTY;
    private int doubt;

    public WaitingPods(Reach reach) {
        this.reach = reach;
    }

    /** The scheduler was answered. Takes no longer for many nodes than for few; keeps {@code nodes}, which must not change. */
    public synchronized void filtered(TieredPod pod, List<IndexedNode> nodes, Verdicts verdicts) {
        var uid = pod.facts().uid();
        var known = pods.get(uid);
        drop(uid); // what it hoped for was in this answer
        if (verdicts.leaveNone() && !uid.isEmpty()) {
            refused(pod.facts(), nodes);
        } else if (known != null) {
            pace.helped(uid);
        }
    }

    @Override
    public synchronized void seen(PodFacts pod) {
        var known = pods.get(pod.uid());
        if (known != null && pod.waits() && pod.isOurs()) {
            known.pod = pod;
        } else if (known != null) {
            forget(pod.uid());
        } else if (!pod.waits()) {
            pace.forget(pod.uid());
        } else if (!begun && pod.isOurs() && saysThatWeRefused(pod)) {
            refused(pod, List.of());
        }
    }

    /** By an extender before this one, since then anything may have changed. */
    private static boolean saysThatWeRefused(PodFacts pod) {
        return pod.verdict()
                .filter(said -> Stream.of(Refusal.values()).anyMatch(refusal -> said.contains(refusal.reason())))
                .isPresent();
    }

    @Override
    public synchronized void gone(PodFacts last) {
        forget(last.uid());
    }

    @Override
    public synchronized void changed(String node, NodeState before, NodeState after) {
        if (!before.look().equals(after.look())) {
            changes.computeIfAbsent(node, name -> new Change(before.look())).to(before.look(), after.look());
        }
    }

    /** It could not be nudged, and is to be tried again when it may, after all others that hope now. */
    public synchronized void failed(PodFacts pod) {
        hopeAgain(pod.uid());
    }

    /** It was due, but nobody tried to nudge it: that does not count, and it is due again as soon as there is room. */
    public synchronized void untried(PodFacts pod) {
        pace.giveBack(pod.uid());
        hopeAgain(pod.uid());
    }

    private void hopeAgain(String uid) {
        hopeful.remove(uid);
        if (pods.containsKey(uid)) {
            hopeful.add(uid);
        }
    }

    /** How many pods it knows of that the extender left without a node. */
    public synchronized int size() {
        return pods.size();
    }

    /**
     * Looks at what it was told since the last time. Every pod that it returns counts as nudged.
     *
     * @param now nanoseconds of a clock that never goes back
     * @param catalogue that pods are judged by now
     * @param index that the scheduler is answered from
     */
    public Due due(long now, Catalogue catalogue, NodeIndex index) {
        boolean edited = !catalogue.equals(judgedBy);
        // Before the changes are taken: the index tells of a change before it lets anybody have a snapshot with it.
        var nodes = edited ? index.snapshot() : Map.<String, NodeState>of();
        var told = take(edited);
        boolean changed = edited || !told.changes().isEmpty();
        doubt = changed ? TURNS_OF_DOUBT : Math.max(0, doubt - 1);
        var hope = new ArrayList<String>();
        if (changed) {
            var prospects = new Prospects(reach, judgedBy, catalogue, Step.all(told.changes(), nodes));
            told.pods().stream()
                    .filter(prospects::haveImproved)
                    .map(PodFacts::uid)
                    .forEach(hope::add);
        }
        if (doubt > 0) {
            var secondThoughts = new SecondThoughts(reach, catalogue, index);
            told.refused().stream()
                    .filter(refused -> secondThoughts.mayHaveAny(refused.pod(), refused.nodes()))
                    .forEach(refused -> hope.add(refused.pod().uid()));
        }
        judgedBy = catalogue;
        return choose(hope, now);
    }

    private synchronized Told take(boolean edited) {
        begun = true;
        var refused = new ArrayList<Refused>(fresh.size());
        fresh.forEach((uid, nodes) -> {
            var waiting = pods.get(uid);
            if (waiting != null) {
                refused.add(new Refused(waiting.pod, nodes));
            }
        });
        fresh = new HashMap<>();
        if (!edited && changes.isEmpty()) {
            return new Told(Map.of(), List.of(), refused);
        }
        var told = new Told(
                changes, pods.values().stream().map(waiting -> waiting.pod).toList(), refused);
        changes = new HashMap<>();
        return told;
    }

    private synchronized Due choose(Collection<String> hope, long now) {
        hope.stream().filter(pods::containsKey).forEach(hopeful::add);
        var due = new ArrayList<PodFacts>();
        int suppressed = 0;
        for (var each = hopeful.iterator(); each.hasNext(); ) {
            var uid = each.next();
            var waiting = pods.get(uid);
            if (waiting == null) {
                each.remove();
            } else if (pace.take(uid, now)) {
                each.remove();
                waiting.suppressed = false;
                due.add(waiting.pod);
            } else if (!waiting.suppressed) {
                waiting.suppressed = true;
                suppressed++;
            }
        }
        return new Due(due, suppressed);
    }

    private void forget(String uid) {
        drop(uid);
        pace.forget(uid);
    }

    private void refused(PodFacts pod, List<IndexedNode> nodes) {
        if (pods.size() >= MOST) {
            drop(pods.keySet().iterator().next());
        }
        pods.put(pod.uid(), new Waiting(pod));
        fresh.put(pod.uid(), fresh.size() < MOST_NAMES ? nodes : List.of());
    }

    private void drop(String uid) {
        pods.remove(uid);
        hopeful.remove(uid);
        fresh.remove(uid);
    }
}
