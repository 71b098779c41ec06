package dev.trainyard.simulation.fault;

import dev.trainyard.simulation.cluster.World;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;

/**
 * Nodes that Trainyard does not manage, with all labels of a pool's nodes. Pods may run on such nodes, which belong to no machine of a
 * pool.
 */
final class ForeignNodes {

    private final World world;
    private final FaultInjector injector;
    private final ActivityLog log;
    private final TreeSet<String> joined = new TreeSet<>();
    private int number;

    ForeignNodes(World world, FaultInjector injector, ActivityLog log) {
        this.world = world;
        this.injector = injector;
        this.log = log;
    }

    /** Adds a node, which leaves within an hour and a half. */
    void join() {
        var pools = List.copyOf(world.catalogue().pools().values());
        if (pools.isEmpty()) {
            return;
        }
        var chance = injector.of(Fault.FOREIGN_NODE);
        var like = pools.get(chance.number(pools.size()));
        var node = "foreign-" + number++;
        log.note("foreign node %s joins, with the labels of pool %s".formatted(node, like.name()));
        joined.add(node);
        world.joinForeign(like, node);
        world.time().after(chance.between(Duration.ofMinutes(5), Duration.ofMinutes(90)), () -> leave(node));
    }

    void leaveAll() {
        List.copyOf(joined).forEach(this::leave);
    }

    private void leave(String node) {
        if (joined.remove(node)) {
            log.note("foreign node %s leaves".formatted(node));
            world.leaveForeign(node);
        }
    }
}
