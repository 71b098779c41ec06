package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.simulation.cluster.World;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The invariant that a running machine without a node is given up. Exempt is a pool that has only foreign nodes: such a node has the pool's
 * labels, but an unknown provider ID, and may be on one of the pool's machines.
 */
final class LostMachineInvariant {

    /** More than the {@code provisionTimeout} of all pools of a trial, which is eight minutes, and the time that faults take. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private final World world;
    /** When each machine began to run without a node, and in the reach of the scaler, by machine. */
    private Map<String, Long> since = new HashMap<>();

    LostMachineInvariant(World world) {
        this.world = world;
    }

    /** Forgets all times. The scaler measures by the wall clock. */
    void clockIsSet() {
        since.clear();
    }

    void ended(Round.Result round) {
        long now = world.time().nanos();
        var before = since;
        since = new HashMap<>();
        for (var pool : world.catalogue().pools().values()) {
            var view = round.snapshot().pools().get(pool.name());
            if (view == null || view.state().isEmpty() || mayBeOnForeignNode(round, pool)) {
                continue;
            }
            for (var machine : world.cloud().running(pool.name())) {
                if (world.server().nodes().get(machine).isEmpty() && isListed(view, machine)) {
                    since.put(machine, before.getOrDefault(machine, now));
                    look(pool, machine, Duration.ofNanos(now - since.get(machine)));
                }
            }
        }
    }

    private static boolean mayBeOnForeignNode(Round.Result round, Pool pool) {
        return round.snapshot().nodesOf(pool.name()).isEmpty()
                && !round.snapshot().foreignNodesOf(pool.name()).isEmpty();
    }

    private static boolean isListed(PoolView view, String machine) {
        return view.state().stream()
                .flatMap(state -> state.machines().stream())
                .anyMatch(listed -> listed.id().equals(machine));
    }

    private void look(Pool pool, String machine, Duration runs) {
        if (runs.compareTo(LIMIT) > 0) {
            throw new InvariantViolation(
                    "machines without a node are given up",
                    world.time().elapsed(),
                    "machine %s of pool %s has run without a node for %s"
                            .formatted(machine, pool.name(), Durations.format(runs)));
        }
    }
}
