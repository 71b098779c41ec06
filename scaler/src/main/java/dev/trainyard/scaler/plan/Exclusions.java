package dev.trainyard.scaler.plan;

import dev.trainyard.core.pod.PodShape;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The exclusions of pods from pools. While a pod is excluded from a pool, no machine of the pool is requested for the pod. The pools'
 * ledgers store the exclusions, so the exclusions survive a restart. This object keeps the pending pods in memory only, so an exclusion may
 * last longer than necessary after a restart. Not thread-safe.
 */
public final class Exclusions {

    /**
     * Digests of what pending pods require of a machine (see {@link Template}), by pod UID and then by pool. Pools without exclusions are
     * left out.
     */
    private final Map<String, Map<String, String>> waiting = new HashMap<>();

    /** Ends an exclusion if a pod that was pending has since been placed on a machine of the pool. */
    public Snapshot readmit(Snapshot snapshot) {
        if (waiting.isEmpty()) {
            return snapshot;
        }
        var admitted = new HashMap<String, Set<String>>();
        for (var node : snapshot.nodes()) {
            node.pool()
                    .ifPresent(pool -> node.trainingPods().forEach(pod -> {
                        var pods = waiting.getOrDefault(pod.uid(), Map.of()).get(pool.name());
                        if (pods != null) {
                            admitted.computeIfAbsent(pool.name(), name -> new HashSet<>())
                                    .add(pods);
                        }
                    }));
        }
        var changed = snapshot;
        for (var entry : admitted.entrySet()) {
            var pool = changed.pools().get(entry.getKey());
            if (pool != null) {
                changed = changed.with(pool.withLedger(pool.ledger().admitted(entry.getValue())));
            }
        }
        return changed;
    }

    /**
     * Whether no machine of the pool would be requested for such a pod, because pods like it could not run on one.
     *
     * @param uid the UID of a pod of the snapshot that has this shape
     */
    public static boolean isExcluded(PodShape shape, String uid, PoolView pool, Snapshot snapshot) {
        var nodes = pool.ledger().nodes();
        return !nodes.exclusions().isEmpty()
                && nodes.exclusion(digest(shape, uid, pool, snapshot), snapshot.now())
                        .isPresent();
    }

    /** Adds an exclusion to a pool's ledger for each {@link Mismatch}. */
    public static Snapshot remember(Snapshot snapshot, Collection<Mismatch> mismatches) {
        var changed = snapshot;
        for (var mismatch : mismatches) {
            var pool = changed.pools().get(mismatch.pool());
            if (pool != null) {
                changed = changed.with(pool.withLedger(mismatch.remember(pool.ledger(), snapshot.now())));
            }
        }
        return changed;
    }

    /**
     * Excludes pods that the scheduler does not place on an idle node, although the planner finds no obstacle. Skips a node with a sign that
     * its machine is broken. After the clock was set back, the scheduler's last message may still refuse the node for that sign. Skips pods
     * whose exclusion is certain already (not provisional), since no machine was requested for them.
     *
     * @param passedOver by pod UID: the name of the node to which the scheduler did not bind the pod
     */
    public static Snapshot passedOver(Snapshot snapshot, Map<String, String> passedOver) {
        if (passedOver.isEmpty()) {
            return snapshot;
        }
        var nodes = new HashMap<String, NodeView>();
        snapshot.nodes().forEach(node -> nodes.put(node.name(), node));
        var known = new HashSet<String>();
        var changed = snapshot;
        for (var pod : snapshot.waiting()) {
            var node = nodes.get(passedOver.getOrDefault(pod.uid(), ""));
            var pool = node == null || node.isSuspect() || !node.trainingPods().isEmpty()
                    ? null
                    : changed.pools().get(node.pool().map(p -> p.name()).orElse(""));
            if (node != null && pool != null) {
                var pods = digest(pod.shape(), pod.uid(), pool, snapshot);
                boolean excluded = pool.ledger()
                        .nodes()
                        .exclusion(pods, snapshot.now())
                        .filter(exclusion -> !exclusion.isProvisional())
                        .isPresent();
                if (!excluded && known.add(pool.name() + " " + pods)) {
                    var mismatch = Mismatch.of(
                            pool.name(), pods, node, snapshot.now(), false, "the scheduler reports: " + pod.verdict());
                    changed = changed.with(pool.withLedger(mismatch.remember(pool.ledger(), snapshot.now())));
                }
            }
        }
        return changed;
    }

    /** Records the pending pods for the next {@link #readmit}, if any pool has exclusions. */
    public void waiting(Snapshot snapshot) {
        var excluding = snapshot.pools().values().stream()
                .filter(pool -> !pool.ledger().nodes().exclusions().isEmpty())
                .toList();
        var present = new HashMap<String, Map<String, String>>();
        for (var pod : excluding.isEmpty() ? List.<PendingPod>of() : snapshot.waiting()) {
            var known = waiting.getOrDefault(pod.uid(), Map.of());
            var digests = new HashMap<String, String>();
            for (var pool : excluding) {
                var digest = known.get(pool.name());
                digests.put(pool.name(), digest == null ? digest(pod.shape(), pod.uid(), pool, snapshot) : digest);
            }
            present.put(pod.uid(), digests);
        }
        waiting.clear();
        waiting.putAll(present);
    }

    private static String digest(PodShape shape, String uid, PoolView pool, Snapshot snapshot) {
        return Template.digest(
                shape, snapshot.neighbours().of(uid).relations(), pool.pool().promise());
    }
}
