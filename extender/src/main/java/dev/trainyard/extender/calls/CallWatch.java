package dev.trainyard.extender.calls;

import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.PodWatcher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Compares what becomes of the pods of our scheduler with what the scheduler asks. A pod that waits without our being asked proves
 * nothing when a scheduler has looked at it: while the scheduler's own filters leave no node, it does not ask. Thread-safe.
 */
public final class CallWatch implements PodWatcher {

    /** Calls and changes of pods reach us by different ways: this much later, both have. */
    static final Duration GRACE = Duration.ofSeconds(5);

    /** A scheduler looks at a new pod within milliseconds, unless there is none, or it has very much to do. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int MOST = 50_000;

    /**
     * A pod that has a node.
     *
     * @param seenAt when it was first known to have its node
     */
    public record Placed(PodFacts pod, Instant seenAt) {}

    private final AtomicReference<Instant> lastCall;

    // Guarded by this.
    private final Set<String> asked = new LinkedHashSet<>();
    /** Ours, without a node. */
    private final Map<String, PodFacts> waiting = new HashMap<>();
    /** Those of them that a call could not have escaped us for. */
    private final Set<String> watched = new LinkedHashSet<>();
    /** Got a node since the last turn. */
    private final List<PodFacts> placed = new ArrayList<>();

    private final Map<String, Placed> onProbation = new LinkedHashMap<>();
    private boolean begun;
    private boolean sign;
    private Instant lastSign;

    /** @param now when the extender started */
    public CallWatch(Instant now) {
        this.lastCall = new AtomicReference<>(now);
        this.lastSign = now;
    }

    /** All pods that were there before are known: those that come now are new. */
    public synchronized void begin() {
        begun = true;
    }

    /** The scheduler asked about a pod. */
    public void asked(PodFacts pod, Instant now) {
        lastCall.set(now);
        synchronized (this) {
            sign = true;
            asked.add(pod.uid());
            dropOldest(asked);
        }
    }

    /** For how long the scheduler has not asked; since the start when it never did. */
    public Duration sinceLastCall(Instant now) {
        var since = Duration.between(lastCall.get(), now);
        return since.isNegative() ? Duration.ZERO : since;
    }

    @Override
    public synchronized void seen(PodFacts pod) {
        if (!pod.isOurs()) {
            return;
        }
        var before = waiting.get(pod.uid());
        if (pod.waits()) {
            sign |= before != null && !before.judged() && pod.judged();
            if (before == null && begun) {
                watched.add(pod.uid());
                dropOldest(watched);
            }
            waiting.put(pod.uid(), pod);
        } else if (before != null) {
            waiting.remove(pod.uid());
            sign = true;
            if (watched.remove(pod.uid()) && pod.node().isPresent()) {
                placed.add(pod);
            }
        }
    }

    @Override
    public synchronized void gone(PodFacts last) {
        waiting.remove(last.uid());
        watched.remove(last.uid());
        if (!onProbation.containsKey(last.uid())) {
            asked.remove(last.uid());
        }
    }

    /**
     * Pods that got a node without our having been asked; each once. To be called every few seconds. Whether it proves anything depends on
     * whether the scheduler beside us is the one that placed them.
     */
    public synchronized List<Placed> placedUnasked(Instant now) {
        placed.forEach(pod -> onProbation.put(pod.uid(), new Placed(pod, now)));
        placed.clear();
        var unasked = new ArrayList<Placed>();
        for (Iterator<Placed> each = onProbation.values().iterator(); each.hasNext(); ) {
            var pod = each.next();
            if (!pod.seenAt().plus(GRACE).isAfter(now)) {
                each.remove();
                if (!asked.remove(pod.pod().uid())) {
                    unasked.add(pod);
                }
            }
        }
        return unasked;
    }

    /**
     * Pods that have waited for longer than {@link #PATIENCE} and that no scheduler has looked at, while none gave any sign of life. To be
     * called every few seconds.
     */
    public synchronized List<PodFacts> withoutScheduler(Instant now) {
        if (sign) {
            lastSign = now;
            sign = false;
        }
        var longAgo = now.minus(PATIENCE);
        if (lastSign.isAfter(longAgo)) {
            return List.of();
        }
        return waiting.values().stream()
                .filter(pod -> !pod.judged()
                        && pod.created()
                                .map(created -> !created.isAfter(longAgo))
                                .orElse(true))
                .toList();
    }

    private static void dropOldest(Set<String> uids) {
        if (uids.size() > MOST) {
            uids.remove(uids.iterator().next());
        }
    }
}
