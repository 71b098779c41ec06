package dev.trainyard.chaos;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The invariant that a pool keeps at least its minimum of usable machines when an idle machine is chosen for removal. Machines that have
 * lost a GPU do not count towards the minimum. Such machines, and machines on which a pod hangs, may be chosen at any time, because the
 * scaler replaces them.
 */
final class MinimumInvariant implements Watch<Node> {

    /** How long the scaler may still count on a machine that is no longer usable, because watches and lists are late. */
    private static final Duration LATE = Duration.ofMinutes(3);

    private final World world;
    /** The pool of each node, and the time at which the node was last usable, by node. Nodes that were chosen for removal are left out. */
    private final Map<String, Usable> usable = new HashMap<>();

    private record Usable(String pool, long at) {}

    private MinimumInvariant(World world) {
        this.world = world;
    }

    static void watch(World world) {
        world.server().nodes().inform(() -> Duration.ZERO).tell(new MinimumInvariant(world));
    }

    @Override
    public void changed(Node before, Node after) {
        var name = after.getMetadata().getName();
        if (isWhole(before) || isWhole(after)) {
            noteUse(name);
        }
        if (NodeFacts.removalStarts(before, after)) {
            usable.remove(name);
            if (NodeFacts.removal(after)
                    .filter(mark -> mark.reason() == Removal.Reason.IDLE)
                    .isPresent()) {
                world.poolOf(name).filter(pool -> isSound(after, pool)).ifPresent(pool -> chosen(name, pool));
            }
        }
    }

    @Override
    public void removed(Node last) {
        if (isWhole(last)) {
            noteUse(last.getMetadata().getName());
        }
    }

    /** Records that the node is usable now. If the node's machine is gone, the last known pool is kept. */
    private void noteUse(String node) {
        world.poolOf(node)
                .map(Pool::name)
                .or(() -> Optional.ofNullable(usable.get(node)).map(Usable::pool))
                .ifPresent(
                        pool -> usable.put(node, new Usable(pool, world.time().nanos())));
    }

    /** Whether pods could run on the node, and the node has not lost a GPU. */
    private boolean isWhole(Node node) {
        return NodeFacts.isUsable(node)
                && world.poolOf(node.getMetadata().getName())
                        .filter(pool -> NodeFacts.gpus(node) < pool.promisedGpus())
                        .isEmpty();
    }

    private boolean isSound(Node node, Pool pool) {
        return NodeFacts.gpus(node) == pool.promisedGpus()
                && !world.isBusy(node.getMetadata().getName());
    }

    private void chosen(String machine, Pool pool) {
        // A node whose pool was invalid until now is noted here. It may not have changed since.
        world.server().nodes().all().stream()
                .filter(node -> !node.getMetadata().getName().equals(machine) && isWhole(node))
                .forEach(node -> noteUse(node.getMetadata().getName()));
        long others = usable.entrySet().stream()
                .filter(other ->
                        other.getValue().pool().equals(pool.name()) && isUsable(other.getKey(), other.getValue()))
                .count();
        if (others < pool.min()) {
            throw new InvariantViolation(
                    "size",
                    world.time().elapsed(),
                    "machine %s of pool %s is chosen for removal, but only %d other machines are usable; the minimum is %d"
                            .formatted(machine, pool.name(), others, pool.min()));
        }
    }

    private boolean isUsable(String node, Usable last) {
        return world.time().nanos() - last.at() <= LATE.toNanos()
                || world.server().nodes().get(node).filter(this::isWhole).isPresent();
    }
}
