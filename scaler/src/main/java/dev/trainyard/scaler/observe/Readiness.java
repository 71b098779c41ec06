package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import java.util.List;
import java.util.Optional;

/**
 * The rules for when pods can run on a node of a pool. {@code docs/node-readiness.md} has them for administrators, with the source of each
 * rule.
 */
final class Readiness {

    /**
     * Prefixes of the keys of taints that a new node has until a component on it is ready. They are those of Kubernetes, its cloud's
     * controller, the Node Readiness Controller and Karpenter, and the startup taints of Cluster Autoscaler.
     */
    private static final List<String> PASSING_PREFIXES = List.of(
            "node.kubernetes.io/",
            "node.cloudprovider.kubernetes.io/",
            "readiness.k8s.io/",
            "karpenter.sh/unregistered",
            "startup-taint.cluster-autoscaler.kubernetes.io/",
            "ignore-taint.cluster-autoscaler.kubernetes.io/");

    /** The suffix of the keys of such taints of Cilium, and of the storage drivers of AWS and Azure. */
    private static final String PASSING_SUFFIX = "/agent-not-ready";

    /** Taints of a node that no longer runs pods. The other taints of Kubernetes only keep new pods off. */
    private static final List<String> DOWN = List.of(
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
            "node.kubernetes.io/out-of-service",
            "node.cloudprovider.kubernetes.io/shutdown");

    private Readiness() {}

    /**
     * Returns what keeps a node from being as its pool promises, as text; empty if nothing. A cordon does not count.
     *
     * @param ready whether the node's condition Ready is true
     */
    static Optional<String> lacking(NodeShape node, boolean ready, Optional<Pool> pool) {
        return ready
                ? passingTaint(node, pool).or(() -> pool.flatMap(of -> missingResource(node, of)))
                : Optional.of("Ready");
    }

    /**
     * Whether pods run on a node that was once complete. It may have lost a GPU or have a taint such as that of disk pressure, but the rest
     * can be used.
     */
    static boolean isRunning(NodeShape node, boolean ready) {
        return ready && node.taints().stream().noneMatch(taint -> taint.repels() && DOWN.contains(taint.key()));
    }

    private static Optional<String> passingTaint(NodeShape node, Optional<Pool> pool) {
        return node.taints().stream()
                .filter(taint -> isPassing(taint, pool))
                .findFirst()
                .map(taint -> "free of taint " + taint);
    }

    /**
     * Whether the taint is temporary. A condition's taint is removed a moment after the condition changes, so a Ready node may still have
     * {@code not-ready}.
     */
    private static boolean isPassing(Taint taint, Optional<Pool> pool) {
        var key = taint.key();
        boolean known = PASSING_PREFIXES.stream().anyMatch(key::startsWith) || key.endsWith(PASSING_SUFFIX);
        boolean stated = pool.filter(p -> p.startupTaints().contains(key)).isPresent();
        boolean promised =
                pool.filter(p -> p.promise().taints().contains(taint)).isPresent();
        return taint.repels() && (known || stated) && !promised && !key.equals(Cordon.UNSCHEDULABLE);
    }

    /**
     * Returns a promised resource that the node does not show. The machine's size promises the number of GPUs, and a node shows all of them
     * at once. Any number of another device is enough: the promised number is written by users, and is corrected by the real nodes.
     */
    private static Optional<String> missingResource(NodeShape node, Pool pool) {
        if (node.allocatable().gpus() < pool.promisedGpus()) {
            return Optional.of("reporting its %d GPUs".formatted(pool.promisedGpus()));
        }
        return pool.promise().allocatable().asMap().entrySet().stream()
                .filter(promised -> ResourceNames.isDevice(promised.getKey()))
                .filter(promised ->
                        promised.getValue() > 0 && node.allocatable().get(promised.getKey()) == 0)
                .findFirst()
                .map(promised -> "reporting its %d %s".formatted(promised.getValue(), promised.getKey()));
    }
}
