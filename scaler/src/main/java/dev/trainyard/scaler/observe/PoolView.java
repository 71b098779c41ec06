package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import java.time.DateTimeException;
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
 * @param remembered of a pool that could not be read: machines that were to come when it was known last, and have no node yet; of one that
 *     was read: machines of an order that nobody has answered yet
 */
public record PoolView(
        Pool pool,
        Optional<PoolState> state,
        Optional<String> problem,
        PoolLedger ledger,
        NodeShape template,
        List<Machine> withoutNode,
        Duration patience,
        int remembered) {

    public PoolView {
        withoutNode = List.copyOf(withoutNode);
    }

    /** A pool that was read. */
    public PoolView(
            Pool pool,
            PoolState state,
            PoolLedger ledger,
            NodeShape template,
            List<Machine> withoutNode,
            Duration patience) {
        this(pool, Optional.of(state), Optional.empty(), ledger, template, withoutNode, patience, 0);
    }

    /** A pool that could not be read. */
    public static PoolView unread(
            Pool pool,
            Optional<String> problem,
            PoolLedger ledger,
            NodeShape template,
            Duration patience,
            int remembered) {
        return new PoolView(pool, Optional.empty(), problem, ledger, template, List.of(), patience, remembered);
    }

    public String name() {
        return pool.name();
    }

    /** Machines asked for of which no node has come, whatever their cloud says of them. */
    public int owed() {
        return unfilled() + (int) withoutNode.stream().filter(this::isToCome).count();
    }

    /** Whether the cloud has not even begun to run some of those that it owes. */
    boolean lacksMachines() {
        return unfilled() > 0 || withoutNode.stream().anyMatch(machine -> machine.state() == Machine.State.CREATING);
    }

    /** One that had a node will hardly get it back. */
    private boolean isToCome(Machine machine) {
        return switch (machine.state()) {
            case CREATING -> true;
            case RUNNING -> !ledger.nodes().isLost(machine.id());
            case DELETING, FAILED -> false;
        };
    }

    public int unfilled() {
        return state.map(PoolState::unfilled).orElse(0);
    }

    public boolean backsOff(Instant now) {
        return ledger.backsOff(now);
    }

    /** When owed machines are given up, unless the oldest of them arrives before; empty when none are owed. */
    public Optional<Instant> overdueAt() {
        return ledger.debt().since().map(since -> after(since, patience));
    }

    /** A time that is later than any there is, where the sum is: users may write any duration. */
    public static Instant after(Instant start, Duration duration) {
        try {
            return start.plus(duration);
        } catch (DateTimeException | ArithmeticException e) {
            return Instant.MAX;
        }
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
        return after(machine.since(), pool.provisionTimeout());
    }

    /** Whether a pool that cannot be read may yet deliver what it was asked for: until patience is at its end. */
    public boolean mayDeliver(Instant now) {
        return ledger.unreadSince()
                .map(since -> now.isBefore(after(since, patience)))
                .orElse(true);
    }

    /** Machines that will come and have no node yet: supply. */
    public int upcoming(Instant now) {
        if (state.isEmpty()) {
            return mayDeliver(now) ? remembered : 0;
        }
        boolean wanting = ledger.backOff()
                .filter(backOff -> backOff.active(now)
                        && (backOff.kind().unfillable() || backOff.kind() == FailureKind.LAUNCH_TIMEOUT))
                .isPresent();
        return (unfillable(now) ? 0 : unfilled())
                + (int) withoutNode.stream()
                        .filter(this::isToCome)
                        .filter(machine -> now.isBefore(launchDeadline(machine)))
                        // It was asked for long before the pool was found wanting: do not wait for it.
                        .filter(machine -> !wanting || now.isBefore(after(machine.since(), patience)))
                        .count();
    }

    /** How many more machines it may be asked for. */
    public int room() {
        return state.map(s -> Math.max(0, most() - Math.max(s.target(), s.present())))
                .orElse(0);
    }

    /** Machines never fewer than this: as the pool says, unless the cloud resource keeps more. */
    public int least() {
        return Math.max(pool.min(), state.map(s -> s.bounds().least()).orElse(0));
    }

    /** Machines never more than this: as the pool says, unless the cloud resource takes fewer. */
    public int most() {
        return Math.min(pool.max(), state.map(s -> s.bounds().most()).orElse(Integer.MAX_VALUE));
    }

    /** The same pool after a request that its cloud accepted. */
    public PoolView withTarget(int target) {
        return new PoolView(
                pool,
                state.map(s -> s.withTarget(target)),
                problem,
                ledger,
                template,
                withoutNode,
                patience,
                remembered);
    }

    public PoolView withLedger(PoolLedger changed) {
        return new PoolView(pool, state, problem, changed, template, withoutNode, patience, remembered);
    }

    /**
     * The same pool while it is not known what it has, for a reason that it will not be remembered by.
     *
     * @param ordered machines that may yet come of an order which nobody has answered: else pods that they are for take others' meanwhile
     */
    public PoolView unknown(String why, Instant now, int ordered) {
        return unread(pool, Optional.of(why), ledger, template, patience, upcoming(now) + ordered);
    }

    /** The same pool, of which it is to be remembered that so many machines may come besides. */
    public PoolView awaiting(int ordered) {
        return new PoolView(pool, state, problem, ledger, template, withoutNode, patience, ordered);
    }
}
