package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The state of a pool that survives a restart. Immutable; kept in the status of its TrainingPool.
 *
 * @param backOff the last back-off, over or not; empty if the pool has delivered since
 * @param heededUntil failures up to this time have been answered
 * @param debt machines that the cloud owes
 * @param unreadSince since when the pool could not be read; empty if the last read succeeded
 * @param upcoming requested machines that were not usable yet at the last successful read
 * @param nodes the history of its nodes
 */
public record PoolLedger(
        Optional<BackOff> backOff,
        Instant heededUntil,
        Debt debt,
        Optional<Instant> unreadSince,
        int upcoming,
        NodeHistory nodes) {

    public static final PoolLedger EMPTY =
            new PoolLedger(Optional.empty(), Instant.EPOCH, Debt.NONE, Optional.empty(), 0);

    /** Creates a ledger without a history of nodes. */
    public PoolLedger(
            Optional<BackOff> backOff, Instant heededUntil, Debt debt, Optional<Instant> unreadSince, int upcoming) {
        this(backOff, heededUntil, debt, unreadSince, upcoming, NodeHistory.NONE);
    }

    /** Failures further apart than this are not "in a row". */
    private static final Duration FORGIVENESS = Duration.ofHours(1);

    public boolean backsOff(Instant now) {
        return backOff.map(b -> b.active(now)).orElse(false);
    }

    /**
     * Returns the ledger for the current clock, which may have been set back. A back-off that would begin only in the future is dropped: it
     * may be over already, and until its end no failure would count as new.
     */
    public PoolLedger asOf(Instant now) {
        return new PoolLedger(backOff.filter(b -> !b.isAhead(now)), heededUntil, debt, unreadSince, upcoming, nodes);
    }

    /** Returns the ledger after a failed read, which changes nothing else. */
    public PoolLedger unread(Instant now) {
        return new PoolLedger(
                backOff, heededUntil, debt, Optional.of(past(unreadSince, now).orElse(now)), upcoming, nodes);
    }

    /**
     * Returns the ledger after a successful read; {@link #machines} must follow.
     *
     * @param owed requested machines without a node
     * @param withNode machines that have a node
     */
    public PoolLedger read(int owed, Set<String> withNode, Instant now) {
        return new PoolLedger(
                backOff,
                heededUntil,
                debt.read(owed, nodes.arrived(withNode, debt.machines() - owed), now),
                Optional.empty(),
                upcoming,
                nodes);
    }

    /** Drops a future time, which is from a clock that was set back since: a wait from it would last too long. */
    private static Optional<Instant> past(Optional<Instant> at, Instant now) {
        return at.filter(time -> !time.isAfter(now));
    }

    /**
     * Adds the labels of nodes in service.
     *
     * @param at when the youngest of them had all its labels
     */
    public PoolLedger seen(Collection<String> labels, Instant at) {
        return withNodes(nodes.seen(labels, at));
    }

    /**
     * Records the machines that the cloud lists.
     *
     * @param withNode those of them that have a node
     */
    public PoolLedger machines(Set<String> listed, Set<String> withNode, Instant now) {
        return withNodes(nodes.machines(listed, withNode, now));
    }

    /**
     * Excludes pods until a machine that just joined has settled.
     *
     * @param pods the digest of their demands
     */
    public PoolLedger excludedUntil(Instant settled, String pods, String reason, Instant now) {
        return withNodes(nodes.with(Exclusion.provisional(pods, settled, reason), now));
    }

    /**
     * Excludes pods that cannot run on a machine that joined for them.
     *
     * @param pods the digest of their demands
     * @param lasting whether the cause lies in the machine itself, so that the next one will not do either
     */
    public PoolLedger excluded(String pods, boolean lasting, String reason, Instant now) {
        return withNodes(nodes.with(Exclusion.after(pods, nodes.failures(pods, now), lasting, reason, now), now));
    }

    /** Ends the exclusions of pods that have been placed on the pool's machines after all. */
    public PoolLedger admitted(Collection<String> pods) {
        return withNodes(nodes.without(pods));
    }

    private PoolLedger withNodes(NodeHistory changed) {
        return new PoolLedger(backOff, heededUntil, debt, unreadSince, upcoming, changed);
    }

    /** Records the provisioning machines before the next round, which may be unable to read the pool. */
    public PoolLedger expecting(int machines) {
        return new PoolLedger(backOff, heededUntil, debt, unreadSince, machines, nodes);
    }

    /**
     * Answers all new failures with one back-off. A hundred machines lost to one stock-out are one failure, together with later failures of
     * requests from before the back-off. The back-off has the kind of the most serious failure, or else of the latest.
     */
    public PoolLedger failed(Collection<Setback> setbacks, Instant now) {
        var news = setbacks.stream()
                .filter(setback -> !setback.repeats() || setback.failure().at().isAfter(heededUntil))
                .toList();
        var heeded = news.stream()
                .map(setback -> setback.failure().at())
                .max(Comparator.naturalOrder())
                .map(this::heed)
                .orElse(this);
        return news.stream()
                .filter(this::isNew)
                .max(Comparator.<Setback, Boolean>comparing(
                                setback -> setback.failure().kind().unfillable())
                        .thenComparing(setback -> setback.failure().at()))
                .map(setback -> heeded.backedOff(setback, now))
                .orElse(heeded);
    }

    /** Returns the ledger after the refusal of a request that was made now, with a back-off. */
    public PoolLedger refused(Failure failure, Instant now) {
        return failed(List.of(new Setback(failure, now, false)), now);
    }

    /** Restarts the time for owed machines, after a failure for the old time was answered. */
    public PoolLedger restartDebt(Instant now) {
        return new PoolLedger(backOff, heededUntil, debt.renewed(now), unreadSince, upcoming, nodes);
    }

    /**
     * Ends the back-off if the cloud delivers again: a machine requested after the back-off runs. If machines ran but were not usable, one
     * must be usable. A machine of the same request as the failure proves nothing. A machine from the future does not count either: its
     * clock is ahead of this one, or this one was set back.
     */
    public PoolLedger recovered(Collection<Machine> running, Collection<Machine> usable, Instant now) {
        var proof = backOff.filter(b -> b.kind() == FailureKind.LAUNCH_TIMEOUT).isPresent() ? usable : running;
        boolean delivers = backOff.filter(b -> proof.stream()
                        .filter(machine -> !machine.since().isAfter(now))
                        .anyMatch(machine -> machine.state() == Machine.State.RUNNING && b.isOver(machine.since())))
                .isPresent();
        return delivers ? new PoolLedger(Optional.empty(), heededUntil, debt, unreadSince, upcoming, nodes) : this;
    }

    /** Whether failures of requests made at that time are no longer "in a row" with the earlier ones. */
    static boolean forgiven(BackOff backOff, Instant ordered) {
        return !ordered.isBefore(backOff.until().plus(FORGIVENESS));
    }

    /** Whether the failure has another cause than the back-off, or shows for the first time that a request will not be filled. */
    private boolean isNew(Setback setback) {
        return backOff.map(b -> b.isOver(setback.ordered())
                        || (setback.failure().kind().unfillable() && !b.kind().unfillable()))
                .orElse(true);
    }

    private PoolLedger heed(Instant at) {
        return new PoolLedger(backOff, at.isAfter(heededUntil) ? at : heededUntil, debt, unreadSince, upcoming, nodes);
    }

    private PoolLedger backedOff(Setback setback, Instant now) {
        var failure = setback.failure();
        int before = backOff.filter(b -> !forgiven(b, setback.ordered()))
                .map(BackOff::failures)
                .orElse(0);
        var next = new BackOff(
                now.plus(failure.kind().backOff(before + 1)), failure.kind(), failure.message(), before + 1);
        var answered = new PoolLedger(Optional.of(next), heededUntil, debt, unreadSince, upcoming, nodes);
        return failure.kind().unfillable() ? answered.restartDebt(now) : answered;
    }
}
