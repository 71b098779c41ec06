package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import java.util.List;
import java.util.Optional;

/**
 * The rules that decide whether pods can run on a node of a pool. {@code docs/node-readiness.md} lists the rules for administrators, with
 * the source of each rule.
 */
final class Readiness {

    /**
     * Prefixes of the keys of taints that a new node has until a component on it is ready. The taints belong to Kubernetes, its cloud
     * controllers, the Node Readiness Controller, Karpenter and Cluster Autoscaler (startup taints).
     */
    private static final List<String> PASSING_PREFIXES = List.of(
            "node.kubernetes.io/",
            "node.cloudprovider.kubernetes.io/",
            "readiness.k8s.io/",
            "karpenter.sh/unregistered",
            "startup-taint.cluster-autoscaler.kubernetes.io/",
            "ignore-taint.cluster-autoscaler.kubernetes.io/");

    /**
     * The suffix of the keys of taints that a new node has until a component on it is ready: Cilium, or a storage driver of AWS or Azure.
     */
    private static final String PASSING_SUFFIX = "/agent-not-ready";

    /** Taints of a node that no longer runs pods. All other taints that Kubernetes sets only keep new pods off the node. */
    private static final List<String> DOWN = List.of(
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
            "node.kubernetes.io/out-of-service",
            "node.cloudprovider.kubernetes.io/shutdown");

    private Readiness() {}

    /**
     * Returns a promise of the pool that the node does not keep, as text such as {@code reporting its 8 GPUs}; empty if the node keeps all
     * promises. A cordon makes no difference.
     *
     * @param ready whether the node's condition Ready is true
     */
    static Optional<String> lacking(NodeShape node, boolean ready, Optional<Pool> pool) {
        return ready
                ? passingTaint(node, pool).or(() -> pool.flatMap(of -> missingResource(node, of)))
                : Optional.of("Ready");
    }

    /**
     * Whether pods can run on a node that was once complete. Pods can run even if the node has lost a GPU, or has a taint such as the one
     * for disk pressure.
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
     * Whether the taint is removed once a new node is ready. Kubernetes removes the taint of a condition a moment after the condition
     * changes, so a Ready node may still have {@code not-ready}.
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
     * Returns a promised resource that the node does not report yet. The number of GPUs follows from the machine's size, and a node reports
     * all of its GPUs at once. Of any other device, the node must report at least one: users write the promised number, which may be wrong.
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
