package dev.trainyard.extender.score;

import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.PodClass;

/** Says how good a node is for a pod, among nodes that the pod's tier likes equally. */
@FunctionalInterface
public interface ScorePolicy {

    /** Pure: equal arguments, equal ratings. */
    Rating rate(PodClass pod, NodeState node);
}
