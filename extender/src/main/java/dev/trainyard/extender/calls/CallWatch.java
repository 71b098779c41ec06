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
 * A comparison of the scheduler's calls to the extender with the pods that the scheduler places, to detect missing calls. A pending pod
 * without a call is normal if a scheduler has looked at the pod, because a scheduler does not call the extender if its own filters leave no
 * node. Thread-safe.
 */
public final class CallWatch implements PodWatcher {

    /**
     * The time after which both the call about a pod and the change of the pod have arrived. They use different connections, so either may
     * come first.
     */
    static final Duration GRACE = Duration.ofSeconds(5);

    /**
     * The time after which a pod that no scheduler has looked at is reported. A scheduler looks at a new pod within milliseconds, unless
     * the scheduler is overloaded.
     */
    static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** The maximum time between an unreadable call and the placement of the pod that the call may be about. Such a call does not name its pod. */
    static final Duration NEAR = Duration.ofSeconds(15);

    private static final int MOST = 50_000;

    /** The reason why the extender had no influence on a placement. */
    public enum Lapse {
        /** No call came, for example because the scheduler's configuration does not name the extender. */
        NOT_ASKED,
        /** The scheduler gave up waiting for the answer. */
        NOT_ANSWERED
    }

    /**
     * A pod that was placed without an answer of the extender.
     *
     * @param seenAt when the pod was first seen with its node
     */
    public record Placed(PodFacts pod, Instant seenAt, Lapse why) {}

    private final AtomicReference<Instant> lastCall;

    // Guarded by this.
    private final Set<String> asked = new LinkedHashSet<>();
    /** UIDs of pods whose last call was not answered in time. */
    private final Set<String> unanswered = new LinkedHashSet<>();
    /** Pods of our scheduler without a node, by UID. */
    private final Map<String, PodFacts> waiting = new HashMap<>();
    /** UIDs of pending pods that were first seen after {@link #begin}. No call about such a pod can have been missed. */
    private final Set<String> watched = new LinkedHashSet<>();
    /** Pods that got a node since the last call of {@link #placedWithoutUs}, by UID. */
    private final Map<String, PodFacts> placed = new LinkedHashMap<>();

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

    /** Marks that all existing pods are known. A pod that is first seen after this call is new. */
    public synchronized void begin() {
        begun = true;
    }

    /** Records that the scheduler asked about a pod. */
    public void asked(PodFacts pod, Instant now) {
        lastCall.set(now);
        synchronized (this) {
            sign = true;
            unanswered.remove(pod.uid());
            asked.add(pod.uid());
            dropOldest(asked);
        }
    }

    /** Records that the scheduler gave up waiting for the answer about a pod. If the call was read, {@link #asked} was called before. */
    public synchronized void unanswered(String uid) {
        sign = true;
        unanswered.add(uid);
        dropOldest(unanswered);
    }

    /** Records that the scheduler gave up before its call could be read. */
    public synchronized void unanswered(Instant now) {
        lastUnreadable = now;
    }

    /** Returns the time since the scheduler's last call, or since the start if it never called. */
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
                placed.put(pod.uid(), pod);
            }
        }
    }

    @Override
    public synchronized void gone(PodFacts last) {
        waiting.remove(last.uid());
        watched.remove(last.uid());
        if (!placed.containsKey(last.uid()) && !onProbation.containsKey(last.uid())) {
            asked.remove(last.uid());
            unanswered.remove(last.uid());
        }
    }

    /**
     * Returns the pods that got a node without our answer, each pod once. Must be called every few seconds. The result is valid only if the
     * scheduler beside us placed the pods, because another replica of the scheduler calls another extender.
     */
    public synchronized List<Placed> placedWithoutUs(Instant now) {
        placed.forEach((uid, pod) -> onProbation.put(uid, new Seen(pod, now)));
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
     * Returns the pods that have been pending for longer than {@link #TIMEOUT} and that no scheduler has looked at. Empty if a scheduler
     * was active within that time. Must be called every few seconds.
     */
    public synchronized List<PodFacts> withoutScheduler(Instant now) {
        if (sign) {
            lastSign = now;
            sign = false;
        }
        var longAgo = now.minus(TIMEOUT);
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
