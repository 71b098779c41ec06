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
 * A pool, its state in the cloud, and its ledger: the scaler's record of the pool.
 *
 * @param state the pool's state; empty if the last read failed, because the number of machines is then unknown
 * @param problem why the pool could not be read; empty if it was read
 * @param template the expected node of one more machine: the pool's promise, corrected by its real nodes
 * @param withoutNode machines that have no node
 * @param deliveryTimeout how long a requested machine may have no node before the pool counts as failed
 * @param remembered how many machines may still join in addition to those in {@code state}. If the pool could not be read, these machines
 *     were provisioning at the last successful read, and still have no node. If the pool was read, these machines belong to a request
 *     without an answer
 * @param spotScore the cloud's own rating of the chance to get spot machines now, from 1 to 10 (the best); empty if unknown
 */
public record PoolView(
        Pool pool,
        Optional<PoolState> state,
        Optional<String> problem,
        PoolLedger ledger,
        NodeShape template,
        List<Machine> withoutNode,
        Duration deliveryTimeout,
        int remembered,
        Optional<Integer> spotScore) {

    private static final int BEST_SCORE = 10;

    /** By which share each point below the best score raises the expected price: little, so that it decides between similar pools only. */
    private static final double SHARE_PER_POINT = 0.001;

    public PoolView {
        withoutNode = List.copyOf(withoutNode);
    }

    /** Creates the view of a pool that was read. */
    public PoolView(
            Pool pool,
            PoolState state,
            PoolLedger ledger,
            NodeShape template,
            List<Machine> withoutNode,
            Duration deliveryTimeout) {
        this(
                pool,
                Optional.of(state),
                Optional.empty(),
                ledger,
                template,
                withoutNode,
                deliveryTimeout,
                0,
                Optional.empty());
    }

    /** Returns the view of a pool that could not be read. */
    public static PoolView unread(
            Pool pool,
            Optional<String> problem,
            PoolLedger ledger,
            NodeShape template,
            Duration deliveryTimeout,
            int remembered) {
        return new PoolView(
                pool,
                Optional.empty(),
                problem,
                ledger,
                template,
                List.of(),
                deliveryTimeout,
                remembered,
                Optional.empty());
    }

    public String name() {
        return pool.name();
    }

    /**
     * Returns how many requested machines the cloud owes. These are machines that are not listed yet, machines that are being created, and
     * running machines that have never had a node.
     */
    public int owed() {
        return unfilled() + (int) withoutNode.stream().filter(this::isToCome).count();
    }

    /** Whether some of the owed machines are not running yet. */
    boolean lacksMachines() {
        return unfilled() > 0 || withoutNode.stream().anyMatch(machine -> machine.state() == Machine.State.CREATING);
    }

    /** Whether a node of the machine is expected to join. If a machine has lost its node, another node is unlikely to join. */
    private boolean isToCome(Machine machine) {
        return switch (machine.state()) {
            case CREATING -> true;
            case RUNNING -> !ledger.nodes().isLost(machine.id());
            case DELETING, HELD, FAILED -> false;
        };
    }

    /** Returns the node's machine in the cloud's list; empty if the list cannot be read or lacks the machine. */
    public Optional<Machine> machineOf(NodeView node) {
        return state.stream()
                .flatMap(read -> read.machines().stream())
                .filter(node::isOn)
                .findFirst();
    }

    /** Returns the expected time that is lost for each hour of a machine, in hours: by reclaims, and by launches that fail. */
    public double lostShare(Instant now) {
        return ledger.reliability()
                .lostShare(TrainingDeadline.USUAL_RESTART_COST.plus(deliveryTimeout), deliveryTimeout, now);
    }

    /** Returns by which share the cloud's own rating raises the expected price; 0 if the rating is unknown. */
    public double ratingShare() {
        return spotScore.map(score -> SHARE_PER_POINT * (BEST_SCORE - score)).orElse(0.0);
    }

    public int unfilled() {
        return state.map(PoolState::unfilled).orElse(0);
    }

    public boolean backsOff(Instant now) {
        return ledger.backsOff(now);
    }

    /**
     * Returns when the owed machines become overdue: {@code deliveryTimeout} after the oldest of these machines was requested. Empty if no
     * machine is owed.
     */
    public Optional<Instant> overdueAt() {
        return ledger.debt().since().map(since -> after(since, deliveryTimeout));
    }

    /**
     * Returns the start plus the duration, or {@link Instant#MAX} on overflow. The start may be any time, since other writers can change
     * the annotations that hold times.
     */
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

    /** Whether the cloud will not deliver the missing machines, so that their request must be withdrawn. */
    public boolean unfillable(Instant now) {
        return ledger.backOff()
                .filter(backOff -> backOff.active(now) && backOff.kind().unfillable())
                .isPresent();
    }

    /** Returns when a machine is given up if it is not usable by then. */
    public Instant launchDeadline(Machine machine) {
        return after(machine.since(), pool.provisionTimeout());
    }

    /** Whether the pool may still deliver requested machines. False if the pool could not be read for {@code deliveryTimeout} or longer. */
    public boolean mayDeliver(Instant now) {
        return ledger.unreadSince()
                .map(since -> now.isBefore(after(since, deliveryTimeout)))
                .orElse(true);
    }

    /** Returns how many machines without a node are expected to join. Planning counts these machines as supply. */
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
                        // While the pool backs off, a machine that is older than the delivery timeout is unlikely to
                        // join.
                        .filter(machine -> !wanting || now.isBefore(after(machine.since(), deliveryTimeout)))
                        .count();
    }

    /** Returns how many more machines may be requested. */
    public int room() {
        return state.map(s -> Math.max(0, most() - Math.max(s.target(), s.present())))
                .orElse(0);
    }

    /** Returns the minimum number of machines: the larger of the pool's minimum and the minimum of its cloud resource. */
    public int least() {
        return Math.max(pool.min(), state.map(s -> s.bounds().least()).orElse(0));
    }

    /** Returns the maximum number of machines: the smaller of the pool's maximum and the maximum of its cloud resource. */
    public int most() {
        return Math.min(pool.max(), state.map(s -> s.bounds().most()).orElse(Integer.MAX_VALUE));
    }

    /** Returns the pool after its cloud accepted a request for this target. */
    public PoolView withTarget(int target) {
        return new PoolView(
                pool,
                state.map(s -> s.withTarget(target)),
                problem,
                ledger,
                template,
                withoutNode,
                deliveryTimeout,
                remembered,
                spotScore);
    }

    public PoolView withLedger(PoolLedger changed) {
        return new PoolView(
                pool, state, problem, changed, template, withoutNode, deliveryTimeout, remembered, spotScore);
    }

    /**
     * Returns the pool with an unknown state, for a reason that is not recorded in the ledger.
     *
     * @param ordered how many machines of an unanswered request may still join. Planning counts these machines as supply, so that the pods
     *     that wait for them do not take machines that other pods need
     */
    public PoolView unknown(String why, Instant now, int ordered) {
        return unread(pool, Optional.of(why), ledger, template, deliveryTimeout, upcoming(now) + ordered);
    }

    /** Returns the pool with an unanswered request for this many machines. */
    public PoolView awaiting(int ordered) {
        return new PoolView(pool, state, problem, ledger, template, withoutNode, deliveryTimeout, ordered, spotScore);
    }

    /** Returns the pool with the cloud's own rating of the chance to get spot machines now, from 1 to 10; empty if unknown. */
    public PoolView withSpotScore(Optional<Integer> score) {
        return new PoolView(pool, state, problem, ledger, template, withoutNode, deliveryTimeout, remembered, score);
    }
}
