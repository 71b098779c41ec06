package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.simulation.cluster.World;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The invariant that the scaler gives up a running machine without a node. A pool that has only foreign nodes, and nodes without a provider
 * ID, is exempt. A foreign node has
 * the pool's labels but an unknown provider ID, so it may be on one of the pool's machines.
 */
final class LostMachineInvariant {

    /**
     * The accepted time without a node. It is longer than the {@code provisionTimeout} of all pools of a trial, eight minutes, plus the
     * delays that faults cause.
     */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private final World world;
    /**
     * The time since which each machine has run without a node, by machine. Machines are added in rounds that {@linkplain #isCounted count}
     * them, and stay in rounds that cannot read the pool.
     */
    private Map<String, Long> since = new HashMap<>();

    LostMachineInvariant(World world) {
        this.world = world;
    }

    /**
     * Forgets all times if the clock was set back. The scaler measures by the wall clock, so it waits longer after such a change.
     *
     * @param by the change of the clock
     */
    void clockIsSet(Duration by) {
        if (by.isNegative()) {
            since.clear();
        }
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
                if (world.server().nodes().get(machine).isPresent()) {
                    continue;
                }
                if (view.state().isEmpty()) {
                    Optional.ofNullable(before.get(machine)).ifPresent(from -> since.put(machine, from));
                } else if (isCounted(round, view, machine)) {
                    long from = before.getOrDefault(machine, now);
                    since.put(machine, from);
                    look(pool, machine, Duration.ofNanos(now - from));
                }
            }
        }
    }

    private static boolean mayBeOnForeignNode(Round.Result round, Pool pool) {
        return round.snapshot().nodesOf(pool.name()).stream().noneMatch(node -> node.providerId() != null)
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
