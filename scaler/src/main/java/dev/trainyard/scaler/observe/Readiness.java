package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import java.util.List;
import java.util.Optional;

/**
 * When pods can run on a node of a pool. {@code docs/node-readiness.md} has the same for administrators, with the source of each rule.
 */
final class Readiness {

    /**
     * Beginnings of the keys of taints that a new node has until something on it is ready: Kubernetes' own, those of its cloud's controller,
     * of the Node Readiness Controller, of Karpenter, and those that Cluster Autoscaler takes for such.
     */
    private static final List<String> PASSING_PREFIXES = List.of(
            "node.kubernetes.io/",
            "node.cloudprovider.kubernetes.io/",
            "readiness.k8s.io/",
            "karpenter.sh/unregistered",
            "startup-taint.cluster-autoscaler.kubernetes.io/",
            "ignore-taint.cluster-autoscaler.kubernetes.io/");

    /** The end of the keys of such taints of Cilium, and of the storage drivers of AWS and Azure. */
    private static final String PASSING_SUFFIX = "/agent-not-ready";

    /** Taints of a node that does not run pods any more. The other taints of Kubernetes keep new pods off a node, and those there run on. */
    private static final List<String> DOWN = List.of(
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
            "node.kubernetes.io/out-of-service",
            "node.cloudprovider.kubernetes.io/shutdown");

    private Readiness() {}

    /**
     * Returns what keeps a node from being as its pool promises, in words; empty if nothing does. A cordon is another matter.
     *
     * @param ready whether the node's condition Ready is true
     */
    static Optional<String> lacking(NodeShape node, boolean ready, Optional<Pool> pool) {
        return ready
                ? passingTaint(node, pool).or(() -> pool.flatMap(of -> missingResource(node, of)))
                : Optional.of("Ready");
    }

    /**
     * Whether pods run on a node that was as promised before: it may have lost a GPU or have a taint such as that of disk pressure, and what is
     * left can be used.
     */
    static boolean isRunning(NodeShape node, boolean ready) {
        return ready && node.taints().stream().noneMatch(taint -> taint.repels() && DOWN.contains(taint.key()));
    }

    private static Optional<String> passingTaint(NodeShape node, Optional<Pool> pool) {
        return node.taints().stream()
                .filter(taint -> isPassing(taint, pool))
                .findFirst()
                .map(taint -> "rid of taint " + taint);
    }

    /** A condition's taint goes a moment after the condition: a node that is Ready may still bear {@code not-ready}. */
    private static boolean isPassing(Taint taint, Optional<Pool> pool) {
        var key = taint.key();
        boolean known = PASSING_PREFIXES.stream().anyMatch(key::startsWith) || key.endsWith(PASSING_SUFFIX);
        boolean stated = pool.filter(p -> p.startupTaints().contains(key)).isPresent();
        boolean promised =
                pool.filter(p -> p.promise().taints().contains(taint)).isPresent();
        return taint.repels() && (known || stated) && !promised && !key.equals(Cordon.UNSCHEDULABLE);
    }

    /**
     * GPUs are promised by the size of the machine, and a node shows all of them at once. Of another device it is enough that it is shown: its
     * number is what somebody wrote, and is corrected by what nodes show.
     */
    private static Optional<String> missingResource(NodeShape node, Pool pool) {
        if (node.allocatable().gpus() < pool.promisedGpus()) {
            return Optional.of("showing its %d GPUs".formatted(pool.promisedGpus()));
        }
        return pool.promise().allocatable().asMap().entrySet().stream()
                .filter(promised -> ResourceNames.isDevice(promised.getKey()))
                .filter(promised ->
                        promised.getValue() > 0 && node.allocatable().get(promised.getKey()) == 0)
                .findFirst()
                .map(promised -> "showing its %d %s".formatted(promised.getValue(), promised.getKey()));
    }
}
