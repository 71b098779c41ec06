package dev.trainyard.extender.score;

import dev.trainyard.extender.node.NodeRecord;
import dev.trainyard.extender.pod.TieredPod;

/** Says how good a node is for a pod. Pure: equal arguments, equal keys. */
@FunctionalInterface
public interface ScorePolicy {

    ScoreKey key(TieredPod pod, NodeRecord node);
}
