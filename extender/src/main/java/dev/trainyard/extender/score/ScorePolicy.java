package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.pod.PodClass;

/** A policy that rates nodes for a pod, among nodes that the pod's tier prefers equally. */
@FunctionalInterface
public interface ScorePolicy {

    /** Rates a node. Pure: equal arguments give equal ratings. */
    Rating rate(PodClass pod, IndexedState node);
}
