package dev.trainyard.simulation.fault;

import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.util.List;

/**
 * Operators and termination handlers that drain nodes: they cordon a node and delete its pods, except those that a disruption budget
 * protects. A while later the machine is deleted, or the node is uncordoned. Nodes that the scaler is removing are drained more often than
 * others.
 */
final class OperatorDrains implements Watch<Node> {

    private final World world;
    private final FaultInjector injector;
    private final ActivityLog log;

    OperatorDrains(World world, FaultInjector injector, ActivityLog log) {
        this.world = world;
        this.injector = injector;
        this.log = log;
    }

    @Override
    public void changed(Node before, Node after) {
        if (NodeFacts.removalStarts(before, after)
                && injector.has(Fault.DRAIN)
                && injector.of(Fault.DRAIN).happens(0.5)) {
            world.time()
                    .after(
                            injector.of(Fault.DRAIN).between(Duration.ofMillis(100), Duration.ofSeconds(20)),
                            () -> drain(after.getMetadata().getName()));
        }
    }

    /** Drains a random node. */
    void drainOne() {
        var nodes = List.copyOf(world.server().nodes().all());
        if (!nodes.isEmpty()) {
            drain(nodes.get(injector.of(Fault.DRAIN).number(nodes.size()))
                    .getMetadata()
                    .getName());
        }
    }

    private void drain(String name) {
        var node = world.server().nodes().get(name);
        if (node.isEmpty() || !injector.has(Fault.DRAIN)) {
            return;
        }
        log.note("operator: drains node " + name);
        world.cordon(name, true);
        world.server().pods().all().stream()
                .filter(pod -> name.equals(pod.getSpec().getNodeName()))
                .filter(pod -> !world.evictions().isHeld(pod))
                .map(ObjectStore::key)
                .toList()
                .forEach(world.evictions()::delete);
        var chance = injector.of(Fault.DRAIN);
        boolean doomed = chance.happens(0.5);
        world.time().after(chance.between(Duration.ofMinutes(1), Duration.ofMinutes(40)), () -> {
            if (doomed) {
                log.note("operator: deletes the machine %s that was drained".formatted(name));
                world.server()
                        .pools()
                        .all()
                        .forEach(pool -> world.removeByHand(pool.getMetadata().getName(), name));
            } else {
                log.note("operator: uncordons node %s that was drained".formatted(name));
                world.cordon(name, false);
            }
        });
    }
}
