package dev.trainyard.simulation.fault;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.simulation.cluster.World;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    /** The machines whose own node never joined, and for which {@link #joinInstead} has already considered a foreign node. */
    private final Set<String> passedFor = new HashSet<>();

    private int number;

    ForeignNodes(World world, FaultInjector injector, ActivityLog log) {
        this.world = world;
        this.injector = injector;
        this.log = log;
    }

    /** Adds a node, which leaves within an hour and a half. */
    void join() {
        joinAny(List.copyOf(world.catalogue().pools().values()));
    }

    /**
     * Adds a node with the labels of a pool that has a machine without a node, so that the new node may pass for the machine's node. Does
     * so at most once for each machine.
     */
    void joinInstead() {
        if (injector.has(Fault.FOREIGN_NODE)) {
            joinAny(world.catalogue().pools().values().stream()
                    .filter(pool -> world.cloud().running(pool.name()).stream()
                            .anyMatch(machine -> injector.isWithoutNode(machine) && passedFor.add(machine)))
                    .toList());
        }
    }

    private void joinAny(List<Pool> pools) {
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
