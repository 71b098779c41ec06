package dev.trainyard.scaler.plan;

import dev.trainyard.core.Names;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Room.Origin;
import dev.trainyard.scaler.plan.Room.Place;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * The room that is there before anything is bought.
 *
 * @param nodes nodes that pods can be bound to now, then those that the scaler is removing and can have back
 * @param machines by pool: machines on their way that are still empty. They look as the pool's template says until they are Ready and show
 *     their GPUs
 */
record Supply(Room nodes, Map<String, Room> machines) {

    static Supply of(Snapshot snapshot) {
        var nodes = new Room();
        snapshot.nodes().stream()
                .filter(node -> node.usable() && node.shape().schedulable())
                .forEach(node -> nodes.add(place(node)));
        snapshot.nodes().stream()
                .filter(node -> node.usable() && node.revocable())
                .forEach(node -> nodes.add(place(node)));
        var machines = new HashMap<String, Room>();
        for (var pool : snapshot.pools().values()) {
            var room = new Room();
            snapshot.nodesOf(pool.name()).stream()
                    .filter(node -> awaited(node, pool, snapshot.now()))
                    .forEach(node -> room.add(place(node, pool)));
            room.add(Place.machines(pool, Origin.UPCOMING, pool.upcoming(snapshot.now())));
            machines.put(pool.name(), room);
        }
        return new Supply(nodes, machines);
    }

    Room machinesOf(PoolView pool) {
        return machines.computeIfAbsent(pool.name(), name -> new Room());
    }

    private static boolean awaited(NodeView node, PoolView pool, Instant now) {
        boolean inTime = now.isBefore(PoolView.after(node.created(), pool.pool().provisionTimeout()));
        return node.registering() && inTime && node.marks().removal().isEmpty() && !node.terminating();
    }

    static Place place(NodeView node) {
        var shape = node.uncordoned();
        var pool = shape.labels().getOrDefault(Names.POOL, "");
        return new Place(
                shape, Origin.NODE, pool, node.name(), shape.allocatable().minus(node.used()), 1);
    }

    /** DaemonSets' pods are in the template already. */
    private static Place place(NodeView node, PoolView pool) {
        var training = node.trainingPods().stream().map(PodOnNode::requests).reduce(Resources.NONE, Resources::plus);
        var free = pool.template().allocatable().minus(training);
        return new Place(pool.template(), Origin.UPCOMING, pool.name(), node.name(), free, 1);
    }
}
