package dev.trainyard.scaler;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.Snapshot;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Measures how long pods that had to wait for room took from their creation until they ran, by the times that Kubernetes wrote on them: when
 * rounds look does not matter. Pods that this process never saw waiting do not count. Not thread-safe.
 */
final class PendingTimes {

    /** Takes what was measured. */
    @FunctionalInterface
    interface Meter {
        /**
         * Reports how long a pod was pending before it ran.
         *
         * @param pool of the node that the pod runs on; empty when it is of none
         */
        void ran(String pool, Duration pending);
    }

    /** When pods that wait, or have only just got a node, were created; by uid. */
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
            ranSince(pod).ifPresent(since -> {
                waiting.remove(uid);
                var took = Duration.between(created, since);
                meter.ran(
                        pools.getOrDefault(String.valueOf(pod.getSpec().getNodeName()), ""),
                        took.isNegative() ? Duration.ZERO : took);
            });
        }
        waiting.keySet().retainAll(present);
    }

    /** When the last of its containers began to run; empty while one has not. */
    private static Optional<Instant> ranSince(Pod pod) {
        var status = pod.getStatus();
        if (status == null
                || status.getContainerStatuses() == null
                || status.getContainerStatuses().isEmpty()) {
            return Optional.empty();
        }
        var starts =
                status.getContainerStatuses().stream().map(PendingTimes::start).toList();
        return starts.stream().allMatch(Optional::isPresent)
                ? starts.stream().flatMap(Optional::stream).max(Instant::compareTo)
                : Optional.empty();
    }

    private static Optional<Instant> start(ContainerStatus container) {
        return Stream.of(container.getState(), container.getLastState())
                .filter(state -> state != null)
                .flatMap(state -> Stream.of(
                        Optional.ofNullable(state.getRunning()).map(running -> running.getStartedAt()),
                        Optional.ofNullable(state.getTerminated()).map(ended -> ended.getStartedAt())))
                .flatMap(Optional::stream)
                .map(PendingTimes::time)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
