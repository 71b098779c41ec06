package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A pool, what its cloud says of it and what the scaler remembers of it.
 *
 * @param state empty when the last read failed: unknown, not zero
 * @param problem why it could not be read
 * @param template what one more machine of it will look like: the promise, corrected by what its nodes are really like
 * @param withoutNode machines whose nodes have not joined
 * @param patience how long machines may be owed before the pool counts as failed
 */
public record PoolView(
        Pool pool,
        Optional<PoolState> state,
        Optional<String> problem,
        PoolLedger ledger,
        NodeShape template,
        List<Machine> withoutNode,
        Duration patience) {

    public PoolView {
        withoutNode = List.copyOf(withoutNode);
    }

    public String name() {
        return pool.name();
    }

    /** Machines asked for that the cloud has not even begun to run. */
    public int owed() {
        return unfilled()
                + (int) withoutNode.stream()
                        .filter(machine -> machine.state() == Machine.State.CREATING)
                        .count();
    }

    public int unfilled() {
        return state.map(PoolState::unfilled).orElse(0);
    }

    public boolean backsOff(Instant now) {
        return ledger.backsOff(now);
    }

    /** When owed machines are given up, unless one arrives before; empty when none are owed. */
    public Optional<Instant> overdueAt() {
        return ledger.owedSince().map(since -> since.plus(patience));
    }

    public boolean overdue(Instant now) {
        return overdueAt().map(at -> !now.isBefore(at)).orElse(false);
    }

    /** Whether what was asked for and is not there will not come, and is to be withdrawn. */
    public boolean unfillable(Instant now) {
        return ledger.backOff()
                .filter(backOff -> backOff.active(now) && backOff.kind().unfillable())
                .isPresent();
    }

    /** When a machine is given up that is not usable by then. */
    public Instant launchDeadline(Machine machine) {
        return machine.since().plus(pool.provisionTimeout());
    }

    /** Machines that will come and have no node yet: supply. */
    public int upcoming(Instant now) {
        boolean unfillable = unfillable(now);
        return (unfillable ? 0 : unfilled())
                + (int) withoutNode.stream()
                        .filter(machine -> now.isBefore(launchDeadline(machine)))
                        .filter(machine -> switch (machine.state()) {
                            case RUNNING -> true;
                            // It was in the making long before the pool was found wanting: do not wait for it.
                            case CREATING ->
                                !unfillable || now.isBefore(machine.since().plus(patience));
                            case DELETING, FAILED -> false;
                        })
                        .count();
    }

    /** How many more machines it may be asked for. */
    public int room() {
        return state.map(s -> Math.max(0, pool.max() - Math.max(s.target(), s.present())))
                .orElse(0);
    }

    /** The same pool after a request that its cloud accepted. */
    public PoolView withTarget(int target) {
        return new PoolView(
                pool, state.map(s -> s.withTarget(target)), problem, ledger, template, withoutNode, patience);
    }

    public PoolView withLedger(PoolLedger changed) {
        return new PoolView(pool, state, problem, changed, template, withoutNode, patience);
    }
}
