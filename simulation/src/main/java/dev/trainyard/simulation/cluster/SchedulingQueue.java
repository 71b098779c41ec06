package dev.trainyard.simulation.cluster;

import dev.trainyard.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The pods that a scheduler has to place. A pod that fitted no node is retried after a change that may let it fit, but only after a
 * back-off. The back-off is 1 s after the first attempt, and doubles with each attempt up to 10 s. After 5 minutes, a pod is retried even
 * if nothing has changed, as in {@code pkg/scheduler/backend/queue/scheduling_queue.go} of Kubernetes.
 */
final class SchedulingQueue {

    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(10);
    private static final Duration FLUSH = Duration.ofMinutes(5);

    private static final class Entry {
        private final String pod;
        private final int priority;
        private final long order;
        private int attempts;
        private long backOffUntil;
        /** The number of the latest schedule for this pod. Earlier schedules are void. */
        private int turn;

        private boolean ready;

        private Entry(String pod, int priority, long order) {
            this.pod = pod;
            this.priority = priority;
            this.order = order;
        }
    }

    private final VirtualTime time;
    private final Runnable readied;
    private final Map<String, Entry> entries = new HashMap<>();
    private final TreeSet<Entry> waiting = new TreeSet<>(Comparator.comparingLong(entry -> entry.order));
    private final TreeSet<Entry> ready = new TreeSet<>(
            Comparator.<Entry>comparingInt(entry -> -entry.priority).thenComparingLong(entry -> entry.order));
    private long orders;

    /** @param readied runs when a pod becomes ready for an attempt */
    SchedulingQueue(VirtualTime time, Runnable readied) {
        this.time = time;
        this.readied = readied;
    }

    void add(String pod, int priority) {
        if (!entries.containsKey(pod)) {
            var entry = new Entry(pod, priority, orders++);
            entries.put(pod, entry);
            makeReady(entry);
        }
    }

    void remove(String pod) {
        var entry = entries.remove(pod);
        if (entry != null) {
            entry.turn++;
            ready.remove(entry);
            waiting.remove(entry);
        }
    }

    /** Returns the next pod to try. The caller ends the attempt with {@link #remove} or {@link #failed}. */
    Optional<String> take() {
        return Optional.ofNullable(ready.pollFirst()).map(entry -> {
            entry.ready = false;
            return entry.pod;
        });
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Records that a pod could not be placed. */
    void failed(String pod) {
        var entry = entries.get(pod);
        if (entry == null) {
            return;
        }
        var backOff = FIRST_BACK_OFF.multipliedBy(1L << Math.min(entry.attempts++, 10));
        backOff = backOff.compareTo(LONGEST_BACK_OFF) < 0 ? backOff : LONGEST_BACK_OFF;
        entry.backOffUntil = time.nanos() + backOff.toNanos();
        waiting.add(entry);
        int turn = ++entry.turn;
        time.after(FLUSH, () -> {
            if (turn == entry.turn) {
                makeReady(entry);
            }
        });
    }

    /** Schedules a retry of each waiting pod after the pod's back-off, because a change may let pods fit. */
    void mayFitNow() {
        while (!waiting.isEmpty()) {
            var entry = waiting.first();
            waiting.remove(entry);
            int turn = ++entry.turn;
            time.at(entry.backOffUntil, () -> {
                if (turn == entry.turn) {
                    makeReady(entry);
                }
            });
        }
    }

    private void makeReady(Entry entry) {
        waiting.remove(entry);
        entry.turn++;
        if (!entry.ready) {
            entry.ready = true;
            ready.add(entry);
            readied.run();
        }
    }
}
