package dev.trainyard.simulation.cluster;

import dev.trainyard.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What reclaims of spot machines cost: the work of pods that has to be done again, and the time until the pods run again. A reclaim ends a
 * pod either with its machine, or earlier by an eviction after the announcement.
 */
public final class ReclaimRecord {

    /**
     * A pod that a reclaim ended.
     *
     * @param ended when the pod ended
     * @param reclaimed when its machine is gone
     */
    private record Interrupted(long ended, long reclaimed) {}

    private final VirtualTime time;
    /** When the machines whose reclaim was announced will be gone. */
    private final Map<String, Long> deadlines = new HashMap<>();

    /** When the machines of terminating pods will be gone, by the UID of the pod. */
    private final Map<String, Long> terminating = new HashMap<>();
    /** When pods began to save their state, if they have saved it, by their UID. */
    private final Map<String, Long> saved = new HashMap<>();
    /** The interrupted pods that do not run again yet, by their UID, or by the UID of the pod that replaces them. */
    private final Map<String, Interrupted> interrupted = new HashMap<>();

    private final List<Long> waits = new ArrayList<>();
    private final List<Long> delays = new ArrayList<>();
    private int pods;
    private int savedPods;
    private double lostGpuSeconds;

    ReclaimRecord(VirtualTime time) {
        this.time = time;
    }

    /** Records that the cloud announces the reclaim of a machine. */
    void announced(String machine, Duration lead) {
        deadlines.put(machine, time.nanos() + lead.toNanos());
    }

    void gone(String machine) {
        deadlines.remove(machine);
    }

    /** Records that a running pod is terminating. */
    void terminating(String uid, String machine) {
        var deadline = deadlines.get(machine);
        if (deadline != null) {
            terminating.put(uid, deadline);
        }
    }

    /** Records that a pod has saved its state since {@code began}. */
    void saved(String uid, long began) {
        saved.put(uid, began);
    }

    /** Records that a pod ends together with its machine, which the cloud reclaims. */
    void endsWithMachine(String uid, double gpus, long startedAt) {
        forget(uid);
        interrupted(uid, gpus, startedAt, time.nanos());
    }

    /** Records that a running pod ended before its machine. */
    void ended(String uid, double gpus, long startedAt) {
        var deadline = terminating.remove(uid);
        var savedFrom = saved.remove(uid);
        if (deadline != null) {
            savedPods += savedFrom == null ? 0 : 1;
            interrupted(uid, gpus, savedFrom == null ? startedAt : savedFrom, deadline);
        }
    }

    /** Forgets a pod that did not end because of a reclaim. */
    void forget(String uid) {
        terminating.remove(uid);
        saved.remove(uid);
    }

    private void interrupted(String uid, double gpus, long from, long reclaimed) {
        pods++;
        lostGpuSeconds += gpus * (time.nanos() - from) / 1e9;
        interrupted.put(uid, new Interrupted(time.nanos(), reclaimed));
    }

    /** Records that a pod was created because another pod was lost. */
    void replaced(String uid, String replacement) {
        var lost = interrupted.remove(uid);
        if (lost != null) {
            interrupted.put(replacement, lost);
        }
    }

    void runs(String uid) {
        var lost = interrupted.remove(uid);
        if (lost != null) {
            waits.add(time.nanos() - lost.ended());
            delays.add(Math.max(0, time.nanos() - lost.reclaimed()));
        }
    }

    /** Returns the number of running pods that reclaims ended. */
    public int pods() {
        return pods;
    }

    /** Returns how many of {@link #pods} saved their state before they ended. */
    public int savedPods() {
        return savedPods;
    }

    /**
     * Returns the GPU hours of {@link #pods} that did not help the training: from the start of the pod until its end, or from the moment
     * in which it began to save its state.
     */
    public double lostGpuHours() {
        return lostGpuSeconds / 3600;
    }

    /** Returns the times from the end of a pod until its replacement ran, in nanoseconds, in ascending order. */
    public long[] waits() {
        return sorted(waits);
    }

    /**
     * Returns the times from the reclaim of a pod's machine until the pod's replacement ran, in nanoseconds, in ascending order. The time
     * is zero if the replacement ran before the reclaim.
     */
    public long[] delays() {
        return sorted(delays);
    }

    private static long[] sorted(List<Long> times) {
        return times.stream().mapToLong(Long::longValue).sorted().toArray();
    }
}
