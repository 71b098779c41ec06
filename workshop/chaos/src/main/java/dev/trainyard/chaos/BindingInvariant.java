package dev.trainyard.chaos;

import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The invariants of bindings, checked against the API server's state at the time of the binding. */
final class BindingInvariant {

    /** The time after which the extender must know a change. The extender's watches take some milliseconds. */
    private static final Duration TOLD = Duration.ofSeconds(1);

    /** How long the extender keeps pods off a new node without a pool label. Such a node may belong to a pool outside a pod's tier. */
    private static final Duration UNLABELLED = Duration.ofSeconds(55);

    private final World world;
    /** The times at which nodes joined, by node. */
    private final Map<String, Long> joined = new HashMap<>();
    /** The times at which the scaler marked nodes for removal, by node. */
    private final Map<String, Long> marked = new HashMap<>();
    /** The times at which pool specs changed, by pool. */
    private final Map<String, Long> configured = new HashMap<>();

    BindingInvariant(World world) {
        this.world = world;
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
        world.server().pools().inform(() -> Duration.ZERO).tell(new PoolsSeen());
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /** Forgets when nodes joined. After a change of the wall clock, the extender cannot tell a node's age from its timestamp. */
    void clockIsSet() {
        joined.clear();
    }

    private void bound(Pod pod, Node node) {
        var name = node.getMetadata().getName();
        var since = marked.get(name);
        if (since != null && isTold(since)) {
            throw broken(
                    "no pod is placed on a machine that is being removed",
                    "pod %s is placed on node %s, which has been marked for removal for %d s"
                            .formatted(ObjectStore.key(pod), name, (world.time().nanos() - since) / 1_000_000_000));
        }
        var tier = Optional.ofNullable(annotations(pod).get(Names.TIER))
                .flatMap(world.server().tiers()::get);
        var labelled = Optional.ofNullable(node.getMetadata().getLabels()).map(labels -> labels.get(Names.POOL));
        boolean joinedJustNow = world.time().nanos() - joined.getOrDefault(name, 0L) < UNLABELLED.toNanos();
        var pool = labelled.or(() -> joinedJustNow ? world.poolOf(name).map(Pool::name) : Optional.empty())
                .filter(this::isUsed);
        if (tier.isPresent()
                && pool.isPresent()
                && !tier.get().getSpec().pools().contains(pool.get())) {
            throw broken(
                    "pods run on machines of their tier",
                    "pod %s of tier %s is placed on node %s of pool %s; the tier's pools are %s"
                            .formatted(
                                    ObjectStore.key(pod),
                                    tier.get().getMetadata().getName(),
                                    name,
                                    pool.get(),
                                    tier.get().getSpec().pools()));
        }
    }

    /**
     * Whether the pool is valid, and its spec is old enough for the extender to know the spec. Machines of an invalid pool count as machines
     * without a pool.
     */
    private boolean isUsed(String pool) {
        return world.catalogue().pools().containsKey(pool) && isTold(configured.getOrDefault(pool, 0L));
    }

    private boolean isTold(long since) {
        return world.time().nanos() - since > TOLD.toNanos();
    }

    private static Map<String, String> annotations(HasMetadata object) {
        return Optional.ofNullable(object.getMetadata().getAnnotations()).orElse(Map.of());
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            if (before.getSpec().getNodeName() == null && after.getSpec().getNodeName() != null) {
                world.server().nodes().get(after.getSpec().getNodeName()).ifPresent(node -> bound(after, node));
            }
        }
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void added(Node node) {
            joined.put(node.getMetadata().getName(), world.time().nanos());
            changed(node, node);
        }

        @Override
        public void changed(Node before, Node after) {
            var name = after.getMetadata().getName();
            if (annotations(after).containsKey(Names.REMOVING)) {
                marked.putIfAbsent(name, world.time().nanos());
            } else {
                marked.remove(name);
            }
        }

        @Override
        public void removed(Node last) {
            marked.remove(last.getMetadata().getName());
            joined.remove(last.getMetadata().getName());
        }
    }

    private final class PoolsSeen implements Watch<TrainingPool> {
        @Override
        public void changed(TrainingPool before, TrainingPool after) {
            if (!Objects.equals(
                    before.getMetadata().getGeneration(), after.getMetadata().getGeneration())) {
                configured.put(after.getMetadata().getName(), world.time().nanos());
            }
        }
    }
}
