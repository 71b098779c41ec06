package dev.trainyard.extender.nudge;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.extender.node.NodeState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All of a node's state that the filter looks at. Nodes change all the time in what is free on them, which the filter leaves to the
 * scheduler, and seldom in this.
 */
record Look(@Nullable Pool pool, boolean removing, GpuKind kind, boolean reportsGpus) {

    static Look of(NodeState node) {
        return new Look(node.pool(), node.removing(), node.kind(), node.reportedGpus() > 0);
    }

    /** Whether both have the same look; makes nothing, since it is asked at each change of each node. */
    static boolean isShared(NodeState one, NodeState other) {
        return one.removing() == other.removing()
                && one.reportedGpus() > 0 == other.reportedGpus() > 0
                && one.kind().equals(other.kind())
                && Objects.equals(one.pool(), other.pool());
    }
}
