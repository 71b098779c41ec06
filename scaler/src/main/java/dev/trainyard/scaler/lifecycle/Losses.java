package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Finds machines without a node that are given up, and what speaks against giving them up. Pure. */
public final class Losses {

    /** A kubelet that starts anew, or a node that somebody makes anew, joins again within this time. */
    private static final Duration GONE = Duration.ofMinutes(1);

    private Losses() {}

    /**
     * Machines that have no node and are given up: those that failed, those whose node did not join in time, and those whose node is gone. None of a pool that has a
     * stranger: what seems to be without a node may be the machine that a training runs on.
     */
    public static List<LostMachine> of(Snapshot snapshot) {
        return overdue(snapshot).stream()
                .filter(machine -> strangers(snapshot, machine.pool()).isEmpty())
                .toList();
    }

    /** Nodes for whose sake machines that would be given up are kept, and why. */
    public static Map<String, String> mismatches(Snapshot snapshot) {
        var mismatches = new TreeMap<String, String>();
        for (var machine : overdue(snapshot)) {
            for (var stranger : strangers(snapshot, machine.pool())) {
                mismatches.putIfAbsent(
                        stranger.name(),
                        "its spec.providerID %s is that of no machine of pool %s, while machine %s (%s) seems to have no node: no machine of the pool is given up before they match"
                                .formatted(
                                        stranger.providerId(),
                                        machine.pool().name(),
                                        machine.machine().id(),
                                        machine.machine().providerId()));
            }
        }
        return mismatches;
    }

    /** Nodes of a pool that are in use, or could be, and match none of its machines. */
    private static List<NodeView> strangers(Snapshot snapshot, Pool pool) {
        var machines = Optional.ofNullable(snapshot.pools().get(pool.name())).flatMap(PoolView::state).stream()
                .flatMap(state -> state.machines().stream())
                .toList();
        return snapshot.nodesOf(pool.name()).stream()
                .filter(node -> !node.terminating())
                .filter(node -> node.usable() || !node.trainingPods().isEmpty())
                .filter(node -> machines.stream().noneMatch(node::isOn))
                .toList();
    }

    private static List<LostMachine> overdue(Snapshot snapshot) {
        var lost = new ArrayList<LostMachine>();
        for (var pool : snapshot.pools().values()) {
            for (var machine : pool.withoutNode()) {
                var reason = switch (machine.state()) {
                    case DELETING -> Optional.<String>empty();
                    case FAILED -> Optional.of("the cloud reports it as failed");
                    case CREATING, RUNNING ->
                        nodeGone(pool, machine, snapshot.now()).or(() -> late(pool, machine, snapshot.now()));
                };
                reason.ifPresent(why -> lost.add(new LostMachine(pool.pool(), machine, why)));
            }
        }
        return lost;
    }

    private static Optional<String> nodeGone(PoolView pool, Machine machine, Instant now) {
        return Optional.ofNullable(pool.ledger().nodes().lost().get(machine.id()))
                .filter(since -> machine.state() == Machine.State.RUNNING && !now.isBefore(since.plus(GONE)))
                .map(since -> "its node has been gone for " + Durations.format(GONE));
    }

    private static Optional<String> late(PoolView pool, Machine machine, Instant now) {
        return Optional.of("its node did not join within %s"
                        .formatted(Durations.format(pool.pool().provisionTimeout())))
                .filter(late ->
                        !pool.ledger().nodes().isLost(machine.id()) && !now.isBefore(pool.launchDeadline(machine)));
    }
}
