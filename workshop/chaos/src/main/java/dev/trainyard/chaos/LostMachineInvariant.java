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
 * The invariant that the scaler gives up a running machine without a node. A pool that has only foreign nodes is exempt. A foreign node has
 * the pool's labels but an unknown provider ID, so it may be on one of the pool's machines.
 */
final class LostMachineInvariant {

    /**
     * The accepted time without a node. It is longer than the {@code provisionTimeout} of all pools of a trial, eight minutes, plus the
     * delays that faults cause.
     */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private final World world;
    /** The time since which each machine has run without a node, by machine. Machines that the scaler's rounds do not list are left out. */
    private Map<String, Long> since = new HashMap<>();

    LostMachineInvariant(World world) {
        this.world = world;
    }

    /** Forgets all times. The scaler measures by the wall clock, so its own measurements are wrong after the change. */
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
