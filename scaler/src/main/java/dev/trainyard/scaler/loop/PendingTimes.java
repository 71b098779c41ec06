package dev.trainyard.scaler.loop;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.PodReading;
import dev.trainyard.scaler.observe.Snapshot;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;

/**
 * A stopwatch for pending pods: measures the time from a pod's creation until the pod runs. Both times are read from the pod object, so the
 * measurement does not depend on the times of rounds. Only pods for Trainyard's own scheduler are measured, and only if this process has
 * seen them pending. Not thread-safe.
 */
final class PendingTimes {

    /** A receiver of measurements. */
    @FunctionalInterface
    interface Meter {
        /**
         * Reports how long a pod was pending before it ran.
         *
         * @param pool the pool of the pod's node; empty if the node has no pool
         */
        void ran(String pool, Duration pending);
    }

    /** Creation times of pods that were seen pending and do not run yet, by UID. */
    private final Map<String, Instant> waiting = new HashMap<>();

    void observe(Snapshot snapshot, Collection<Pod> pods, Meter meter) {
        snapshot.waiting().stream()
                .filter(pod -> pod.ours())
                .forEach(pod -> waiting.putIfAbsent(pod.uid(), pod.since()));
        if (waiting.isEmpty()) {
            return;
        }
        var pools = new HashMap<String, String>();
        for (var node : snapshot.nodes()) {
            pools.put(node.name(), node.pool().map(Pool::name).orElse(""));
        }
        var present = new HashSet<String>();
        for (var pod : pods) {
            var uid = String.valueOf(pod.getMetadata().getUid());
            var created = waiting.get(uid);
            if (created == null) {
                continue;
            }
            present.add(uid);
            PodReading.containersStarted(pod).ifPresent(since -> {
                waiting.remove(uid);
                var took = Duration.between(created, since);
                meter.ran(
                        pools.getOrDefault(String.valueOf(pod.getSpec().getNodeName()), ""),
                        took.isNegative() ? Duration.ZERO : took);
            });
        }
        waiting.keySet().retainAll(present);
    }
}
