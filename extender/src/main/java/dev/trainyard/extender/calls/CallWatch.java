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
import java.util.Optional;
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

    /** A call that nobody could read belongs to pods that got their node this shortly before or after. */
    static final Duration NEAR = Duration.ofSeconds(15);

    private static final int MOST = 50_000;

    /** Why the extender had no say in where a pod was placed. */
    public enum Lapse {
        /** No call came: the scheduler's configuration does not name the extender. */
        NOT_ASKED,
        /** The scheduler stopped waiting for the answer. */
        NOT_ANSWERED
    }

    /**
     * A pod that was placed without the extender.
     *
     * @param seenAt when it was first known to have its node
     */
    public record Placed(PodFacts pod, Instant seenAt, Lapse why) {}

    private final AtomicReference<Instant> lastCall;

    // Guarded by this.
    private final Set<String> asked = new LinkedHashSet<>();
    /** The last call about each of these was not answered in time. */
    private final Set<String> unanswered = new LinkedHashSet<>();
    /** Ours, without a node. */
    private final Map<String, PodFacts> waiting = new HashMap<>();
    /** Those of them that a call could not have escaped us for. */
    private final Set<String> watched = new LinkedHashSet<>();
    /** Got a node since the last turn. */
    private final List<PodFacts> placed = new ArrayList<>();

    private final Map<String, Seen> onProbation = new LinkedHashMap<>();
    private Instant lastUnreadable = Instant.MIN;
    private boolean begun;
    private boolean sign;
    private Instant lastSign;

    private record Seen(PodFacts pod, Instant at) {}

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
            unanswered.remove(pod.uid());
            asked.add(pod.uid());
            dropOldest(asked);
        }
    }

    /** The scheduler went away before it had the answer about a pod. Comes after {@link #asked} if the call was read at all. */
    public synchronized void unanswered(String uid) {
        sign = true;
        unanswered.add(uid);
        dropOldest(unanswered);
    }

    /** The scheduler went away before its call could be read. */
    public synchronized void unanswered(Instant now) {
        lastUnreadable = now;
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
            unanswered.remove(last.uid());
        }
    }

    /**
     * Returns the pods that got a node without an answer of ours; each once. To be called every few seconds. Whether it proves anything
     * depends on whether the scheduler beside us is the one that placed them.
     */
    public synchronized List<Placed> placedWithoutUs(Instant now) {
        placed.forEach(pod -> onProbation.put(pod.uid(), new Seen(pod, now)));
        placed.clear();
        var found = new ArrayList<Placed>();
        for (Iterator<Seen> each = onProbation.values().iterator(); each.hasNext(); ) {
            var seen = each.next();
            if (!seen.at().plus(GRACE).isAfter(now)) {
                each.remove();
                lapse(seen).ifPresent(why -> found.add(new Placed(seen.pod(), seen.at(), why)));
            }
        }
        return found;
    }

    private Optional<Lapse> lapse(Seen seen) {
        var uid = seen.pod().uid();
        boolean wasAsked = asked.remove(uid);
        if (unanswered.remove(uid)) {
            return Optional.of(Lapse.NOT_ANSWERED);
        }
        if (wasAsked) {
            return Optional.empty();
        }
        return Optional.of(lastUnreadable.isAfter(seen.at().minus(NEAR)) ? Lapse.NOT_ANSWERED : Lapse.NOT_ASKED);
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
