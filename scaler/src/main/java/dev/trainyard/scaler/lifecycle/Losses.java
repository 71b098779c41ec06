package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Durations;
import dev.trainyard.scaler.ledger.NodeHistory;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The check for machines that are given up (terminated) because they have no node, and for nodes that prevent this. A pure function. */
public final class Losses {

    private Losses() {}

    /**
     * Returns machines that have no node and are given up: machines that failed, machines whose node did not join in time, and machines
     * whose node is gone. A machine is kept if a {@linkplain #strangers stranger} may be its node, since training may run on the machine.
     */
    public static List<LostMachine> of(Snapshot snapshot) {
        return overdue(snapshot).stream()
                .filter(machine -> strangers(snapshot, machine).isEmpty())
                .toList();
    }

    /** Returns the nodes that prevent a machine from being given up, each with the reason. */
    public static Map<String, String> mismatches(Snapshot snapshot) {
        var mismatches = new TreeMap<String, String>();
        for (var machine : overdue(snapshot)) {
            for (var stranger : strangers(snapshot, machine)) {
                mismatches.putIfAbsent(
                        stranger.name(),
                        "its spec.providerID %s matches no machine of pool %s, but machine %s (%s) has no node: the machine is not given up until the IDs match"
                                .formatted(
                                        stranger.providerId(),
                                        machine.pool().name(),
                                        machine.machine().id(),
                                        machine.machine().providerId()));
            }
        }
        return mismatches;
    }

    /**
     * Returns strangers: nodes that may be on this machine, although their provider IDs match no machine of the pool. The cloud may write
     * the IDs differently from the kubelets. Strangers have the pool's labels, and are usable or run training pods. If any node of the pool
     * matches a machine, the cloud and the kubelets write the IDs alike, so there are no strangers. A node that is older than the machine
     * cannot be its node.
     */
    private static List<NodeView> strangers(Snapshot snapshot, LostMachine lost) {
        var pool = lost.pool().name();
        boolean anyMatches = snapshot.nodesOf(pool).stream().anyMatch(node -> node.providerId() != null);
        return anyMatches
                ? List.of()
                : snapshot.foreignNodesOf(pool).stream()
                        .filter(node -> !node.terminating()
                                && !node.created().isBefore(lost.machine().since()))
                        .filter(node -> node.usable() || !node.trainingPods().isEmpty())
                        .toList();
    }

    private static List<LostMachine> overdue(Snapshot snapshot) {
        var lost = new ArrayList<LostMachine>();
        for (var pool : snapshot.pools().values()) {
            for (var machine : pool.withoutNode()) {
                var reason = switch (machine.state()) {
                    case DELETING -> Optional.<String>empty();
                    case FAILED -> Optional.of("the cloud reports it as failed");
                    case HELD ->
                        pool.ledger().nodes().isLost(machine.id())
                                ? nodeGone(pool, machine, snapshot.now())
                                : Optional.of("the cloud is deleting it, and it has no node");
                    case CREATING, RUNNING ->
                        nodeGone(pool, machine, snapshot.now()).or(() -> late(pool, machine, snapshot.now()));
                };
                reason.ifPresent(why -> lost.add(new LostMachine(pool.pool(), machine, why)));
            }
        }
        return lost;
    }

    private static Optional<String> nodeGone(PoolView pool, Machine machine, Instant now) {
        return Optional.of("its node has been gone for " + Durations.format(NodeHistory.GIVEN_UP_AFTER))
                .filter(gone -> machine.state() != Machine.State.CREATING
                        && pool.ledger().nodes().isGivenUp(machine.id(), now));
    }

    private static Optional<String> late(PoolView pool, Machine machine, Instant now) {
        return Optional.of("its node did not join within %s"
                        .formatted(Durations.format(pool.pool().provisionTimeout())))
                .filter(late ->
                        !pool.ledger().nodes().isLost(machine.id()) && !now.isBefore(pool.launchDeadline(machine)));
    }
}
