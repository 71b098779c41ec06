package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.simulation.cluster.World;
import java.time.Duration;
import java.time.Instant;
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
    /** The time since which each machine has run without a node, by machine. Only machines that are {@linkplain #isCounted counted}. */
    private Map<String, Long> since = new HashMap<>();

    /** The start of the trial, by the wall clock as it is set now. */
    private Instant start;

    LostMachineInvariant(World world) {
        this.world = world;
        this.start = world.time().instant();
    }

    /** Forgets all times if the clock was set back. The scaler measures by the wall clock, so it waits longer after such a change. */
    void clockIsSet() {
        var time = world.time().instant().minus(world.time().elapsed());
        if (time.isBefore(start)) {
            since.clear();
        }
        start = time;
    }

    void ended(Round.Result round) {
        long now = world.time().nanos();
        var before = since;
        since = new HashMap<>();
        for (var pool : world.catalogue().pools().values()) {
            var view = round.snapshot().pools().get(pool.name());
            if (view == null || mayBeOnForeignNode(round, pool)) {
                continue;
            }
            for (var machine : world.cloud().running(pool.name())) {
                if (world.server().nodes().get(machine).isEmpty()) {
                    // In a round that cannot read the pool, the time goes on.
                    var from = isCounted(round, view, machine)
                            ? before.getOrDefault(machine, now)
                            : view.state().isEmpty() ? before.get(machine) : null;
                    if (from != null) {
                        since.put(machine, from);
                        look(pool, machine, Duration.ofNanos(now - from));
                    }
                }
            }
        }
    }

    private static boolean mayBeOnForeignNode(Round.Result round, Pool pool) {
        return round.snapshot().nodesOf(pool.name()).isEmpty()
                && !round.snapshot().foreignNodesOf(pool.name()).isEmpty();
    }

    /** Whether the round lists the machine, with a start in the past. If the clock was set back, the start may be in the future. */
    private static boolean isCounted(Round.Result round, PoolView view, String machine) {
        return view.state().stream()
                .flatMap(state -> state.machines().stream())
                .anyMatch(listed -> listed.id().equals(machine)
                        && !listed.since().isAfter(round.snapshot().now()));
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
