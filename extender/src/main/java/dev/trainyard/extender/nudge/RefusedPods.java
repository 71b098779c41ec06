package dev.trainyard.extender.nudge;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.node.NodeIndex;
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
 * The pods that the extender left without a node. {@link #due} selects the pods that may now use a node that was refused to them before.
 * {@link Nudger} nudges these pods: it patches them, so that the scheduler retries them. Other methods only record events, so that their
 * callers do not wait. One thread calls {@link #due} repeatedly; all other methods are thread-safe.
 *
 * <p>At the start, the scheduler's message on a pod may quote a refusal of an earlier extender process. The refused nodes of such a pod are
 * unknown, so all nodes are judged for the pod.
 */
public final class RefusedPods implements PodWatcher, NodeWatcher {

    /**
     * The limit for pods. At the limit, a new pod replaces the pod whose refusal is the oldest. The scheduler retries the replaced pod
     * within five minutes.
     */
    static final int MOST = 10_000;

    /** The limit for pods whose refused nodes are kept, because each pod may have thousands of nodes. */
    static final int MOST_NAMES = 256;

    /**
     * The pods to nudge now.
     *
     * @param suppressed number of pods whose nudge the rate limit delays for the first time
     */
    public record Due(List<PodFacts> pods, int suppressed) {}

    private static final class Waiting {
        private PodFacts pod;
        /** Whether the delay of the pod's nudge was already counted. */
        private boolean suppressed;

        Waiting(PodFacts pod) {
            this.pod = pod;
        }
    }

    /** The events since the last call of {@link #due}. */
    private record Told(Map<String, RecentProfiles> changes, List<PodFacts> pods, List<Refused> refused) {}

    /**
     * @param nodes the nodes that were just refused to the pod. Empty if they are unknown, or if the nodes of {@link #MOST_NAMES} other
     *     pods are stored already. In this case, all nodes are judged for the pod
     */
    private record Refused(PodFacts pod, List<IndexedNode> nodes) {}

    /**
     * The number of calls in which {@link #due} judges newly refused pods again after a change. A change may arrive between the filter's
     * verdict on a pod and the record of the verdict here. Verdict and record belong to one call of the scheduler, which takes far less
     * time than this number of calls of {@link #due}.
     */
    private static final int TURNS_OF_DOUBT = 40;

    private final LastResortFilter reach;

    // Guarded by this.
    private final Map<String, Waiting> pods = new LinkedHashMap<>();
    private final Set<String> hopeful = new LinkedHashSet<>();
    private final NudgeRateLimit pace = new NudgeRateLimit(2 * MOST);
    private Map<String, RecentProfiles> changes = new HashMap<>();
    private Map<String, List<IndexedNode>> fresh = new HashMap<>();
    private boolean begun;

    // Used only by the thread that calls due().
    private Catalogue judgedBy = Catalogue.EMPTY;
    private int doubt;

    public RefusedPods(LastResortFilter reach) {
        this.reach = reach;
    }

    /** Records an answer to the scheduler, in constant time. Stores a reference to {@code nodes}, which must not change. */
    public synchronized void filtered(TieredPod pod, List<IndexedNode> nodes, Verdicts verdicts) {
        var uid = pod.facts().uid();
        var known = pods.get(uid);
        drop(uid); // the scheduler has just tried the pod, so no nudge is needed
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

    /** Whether the scheduler's message about the pod quotes a refusal of an earlier extender process. Nodes may have changed since then. */
    private static boolean saysThatWeRefused(PodFacts pod) {
        return pod.verdict()
                .filter(said -> Stream.of(FilterRefusal.values()).anyMatch(refusal -> said.contains(refusal.reason())))
                .isPresent();
    }

    @Override
    public synchronized void gone(PodFacts last) {
        forget(last.uid());
    }

    @Override
    public synchronized void changed(String node, IndexedState before, IndexedState after) {
        if (!before.look().equals(after.look())) {
            changes.computeIfAbsent(node, name -> new RecentProfiles(before.look()))
                    .to(before.look(), after.look());
        }
    }

    /** Records that a pod could not be nudged. The pod is due again when the rate limit allows, after all other candidates. */
    public synchronized void failed(PodFacts pod) {
        hopeAgain(pod.uid());
    }

    /**
     * Records that the nudge of a due pod was not tried. The rate limit ignores this nudge, and the pod is due again as soon as the limit
     * allows.
     */
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

    /** Returns the number of known pods that the extender left without a node. */
    public synchronized int size() {
        return pods.size();
    }

    /**
     * Evaluates the events since the last call and returns the pods to nudge now. The rate limit treats every returned pod as nudged.
     *
     * @param now nanoseconds of a monotonic clock
     * @param catalogue the current catalogue, by which pods are judged
     * @param index the index that the answers to the scheduler come from
     */
    public Due due(long now, Catalogue catalogue, NodeIndex index) {
        boolean edited = !catalogue.equals(judgedBy);
        // The snapshot is read before the changes are taken. The index reports a change before a snapshot contains it,
        // so the changes are at least as new as the snapshot.
        var nodes = edited ? index.snapshot() : Map.<String, IndexedState>of();
        var told = take(edited);
        boolean changed = edited || !told.changes().isEmpty();
        doubt = changed ? TURNS_OF_DOUBT : Math.max(0, doubt - 1);
        var hope = new ArrayList<String>();
        if (changed) {
            var prospects = new NodeImprovements(reach, judgedBy, catalogue, ProfileChange.all(told.changes(), nodes));
            told.pods().stream()
                    .filter(prospects::haveImproved)
                    .map(PodFacts::uid)
                    .forEach(hope::add);
        }
        if (doubt > 0) {
            var secondThoughts = new VerdictRecheck(reach, catalogue, index);
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
