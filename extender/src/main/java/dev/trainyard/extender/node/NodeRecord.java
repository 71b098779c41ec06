package dev.trainyard.extender.node;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import java.util.Optional;

/**
 * Everything that a request asks of one node, worked out beforehand.
 *
 * @param pool the pool that its machine belongs to
 * @param free what the pods on it leave; behind the scheduler's own count by the pods that it is binding now
 * @param removing whether the scaler is taking the machine away
 */
public record NodeRecord(NodeShape shape, Optional<Pool> pool, Resources free, boolean removing) {

    public long reportedGpus() {
        return shape.allocatable().gpus();
    }

    public long promisedGpus() {
        return pool.map(Pool::promisedGpus).orElse(0L);
    }

    /** Whether it has GPUs, or will have once its driver is up. */
    public boolean isGpuNode() {
        return reportedGpus() > 0 || promisedGpus() > 0;
    }
}
