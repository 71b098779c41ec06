package dev.trainyard.bench.scoring.trace;

import java.util.List;

/**
 * Machines and the pods that want them.
 *
 * @param name of the file with the pods, without its ending
 */
public record Trace(String name, List<TraceNode> nodes, List<TracePod> pods) {

    public Trace {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
    }

    /** Thousandths of GPUs that the machines have. */
    public long capacityMilli() {
        return nodes.stream()
                .mapToLong(node -> (long) node.gpus() * TraceShape.WHOLE)
                .sum();
    }

    /** The same without the pods that share a GPU: what a cluster with an ordinary device plugin can run. */
    public Trace wholeGpusOnly() {
        return new Trace(
                name, nodes, pods.stream().filter(pod -> !pod.shape().isShare()).toList());
    }
}
