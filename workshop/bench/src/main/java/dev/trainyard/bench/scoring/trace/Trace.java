package dev.trainyard.bench.scoring.trace;

import java.util.List;

/**
 * The machines and pods of a trace.
 *
 * @param name name of the pods' file without its extension
 */
public record Trace(String name, List<TraceNode> nodes, List<TracePod> pods) {

    public Trace {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
    }

    /** Returns the total thousandths of GPUs of the machines. */
    public long capacityMilli() {
        return nodes.stream()
                .mapToLong(node -> (long) node.gpus() * TraceShape.WHOLE)
                .sum();
    }

    /** Returns the trace without pods that share a GPU, as for a cluster with an ordinary device plugin. */
    public Trace wholeGpusOnly() {
        return new Trace(
                name, nodes, pods.stream().filter(pod -> !pod.shape().isShare()).toList());
    }
}
