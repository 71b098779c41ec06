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
    /** The machines without a node for which a foreign node has joined. */
    private final Set<String> replaced = new HashSet<>();

    private int number;

    ForeignNodes(World world, FaultInjector injector, ActivityLog log) {
        this.world = world;
        this.injector = injector;
        this.log = log;
    }

    /** Adds a node, which leaves within an hour and a half. */
    void join() {
        injector.of(Fault.FOREIGN_NODE)
                .any(List.copyOf(world.catalogue().pools().values()))
                .ifPresent(this::join);
    }

    /** Adds a node for a machine whose own node never joins: the node has the labels of the machine's pool. Once for each machine. */
    void joinInstead() {
        if (injector.has(Fault.FOREIGN_NODE)) {
            injector.of(Fault.FOREIGN_NODE).any(withoutNode()).ifPresent(machine -> {
                replaced.add(machine.name());
                join(machine.pool());
            });
        }
    }

    private record Machine(Pool pool, String name) {}

    private List<Machine> withoutNode() {
        return world.catalogue().pools().values().stream()
                .flatMap(pool -> world.cloud().running(pool.name()).stream()
                        .filter(name -> injector.isWithoutNode(name) && !replaced.contains(name))
                        .map(name -> new Machine(pool, name)))
                .toList();
    }

    private void join(Pool like) {
        var node = "foreign-" + number++;
        log.note("foreign node %s joins, with the labels of pool %s".formatted(node, like.name()));
        joined.add(node);
        world.joinForeign(like, node);
        world.time()
                .after(
                        injector.of(Fault.FOREIGN_NODE).between(Duration.ofMinutes(5), Duration.ofMinutes(90)),
                        () -> leave(node));
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
