package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The scaler's record of a pool. It is stored in the status of the TrainingPool and survives a restart of the scaler. Immutable.
 *
 * @param backOff the last back-off, even if it is over; empty if the pool has delivered machines since
 * @param heededUntil the time up to which failures have been considered
 * @param debt the machines that the cloud owes
 * @param unreadSince since when the pool could not be read; empty if the last read succeeded
 * @param upcoming the number of requested machines that were not usable yet at the last successful read
 * @param nodes the history of the pool's nodes
 * @param reliability how well the pool has delivered and kept its machines
 */
public record PoolLedger(
        Optional<BackOff> backOff,
        Instant heededUntil,
        Debt debt,
        Optional<Instant> unreadSince,
        int upcoming,
        NodeHistory nodes,
        Reliability reliability) {

    public static final PoolLedger EMPTY =
            new PoolLedger(Optional.empty(), Instant.EPOCH, Debt.NONE, Optional.empty(), 0);

    /** Creates a ledger without a history of nodes. */
    public PoolLedger(
            Optional<BackOff> backOff, Instant heededUntil, Debt debt, Optional<Instant> unreadSince, int upcoming) {
        this(backOff, heededUntil, debt, unreadSince, upcoming, NodeHistory.NONE, Reliability.NONE);
    }

    /** Failures further apart than this are not "in a row". */
    private static final Duration FORGIVENESS = Duration.ofHours(1);

    public boolean backsOff(Instant now) {
        return backOff.map(b -> b.active(now)).orElse(false);
    }

    /**
     * Returns the ledger for the current clock, which may have been set back. A back-off with a start in the future is dropped: it was
     * recorded before the clock was set back, so it may be over by now. If such a back-off were kept until its end, most failures would not
     * count as new until then. Sums that were added up in the future count as added up now.
     */
    public PoolLedger asOf(Instant now) {
        return new PoolLedger(
                backOff.filter(b -> !b.isAhead(now)),
                heededUntil,
                debt,
                unreadSince,
                upcoming,
                nodes,
                reliability.asOf(now));
    }

    /** Returns the ledger after a failed read: only {@code unreadSince} changes. */
    public PoolLedger unread(Instant now) {
        return new PoolLedger(
                backOff,
                heededUntil,
                debt,
                Optional.of(past(unreadSince, now).orElse(now)),
                upcoming,
                nodes,
                reliability);
    }

    /**
     * Returns the ledger after a successful read; {@link #machines} must be called next.
     *
     * @param owed the number of requested machines without a node
     * @param withNode machines that have a node
     */
    public PoolLedger read(int owed, Set<String> withNode, Instant now) {
        return new PoolLedger(
                backOff,
                heededUntil,
                debt.read(owed, nodes.arrived(withNode, debt.machines() - owed), now),
                Optional.empty(),
                upcoming,
                nodes,
                reliability);
    }

    /**
     * Drops a time in the future, which was recorded before the clock was set back. A wait that starts at such a time would last too long.
     */
    private static Optional<Instant> past(Optional<Instant> at, Instant now) {
        return at.filter(time -> !time.isAfter(now));
    }

    /**
     * Adds the labels of nodes in service.
     *
     * @param at when the youngest of these nodes had all its labels
     */
    public PoolLedger seen(Collection<String> labels, Instant at) {
        return withNodes(nodes.seen(labels, at));
    }

    /**
     * Records the machines that the cloud lists. A machine that had joined and is no longer listed was reclaimed, unless the scaler was
     * removing it.
     *
     * @param withNode the listed machines that have a node
     * @param removed the listed machines that the scaler has decided to remove
     */
    public PoolLedger machines(Set<String> listed, Set<String> withNode, Set<String> removed, Instant now) {
        var changed = nodes.machines(listed, withNode, removed, now);
        return new PoolLedger(
                backOff,
                heededUntil,
                debt,
                unreadSince,
                upcoming,
                changed,
                reliability.with(changed.joined().size(), nodes.reclaims(listed, now), now));
    }

    /**
     * Records the machines that are sick now.
     *
     * @param machines breakdowns by the identifiers of all machines that are sick
     */
    public PoolLedger sick(Map<String, Breakdown> machines, Instant now) {
        return withNodes(nodes.sick(machines, now));
    }

    /**
     * Excludes pods provisionally, until the node of a machine that just joined has all of its labels.
     *
     * @param pods the digest of the pods' requirements
     */
    public PoolLedger excludedUntil(Instant settled, String pods, String reason, Instant now) {
        return withNodes(nodes.with(Exclusion.provisional(pods, settled, reason), now));
    }

    /**
     * Excludes pods that cannot run on a machine that joined for them.
     *
     * @param pods the digest of the pods' requirements
     * @param lasting whether the cause lies in the machine itself, so that the next machine will not help either
     */
    public PoolLedger excluded(String pods, boolean lasting, String reason, Instant now) {
        return withNodes(nodes.with(Exclusion.after(pods, nodes.failures(pods, now), lasting, reason, now), now));
    }

    /** Ends the exclusions of pods that have been placed on machines of the pool in the meantime. */
    public PoolLedger admitted(Collection<String> pods) {
        return withNodes(nodes.without(pods));
    }

    private PoolLedger withNodes(NodeHistory changed) {
        return new PoolLedger(backOff, heededUntil, debt, unreadSince, upcoming, changed, reliability);
    }

    /** Records the number of provisioning machines. The number is used if the next round cannot read the pool. */
    public PoolLedger expecting(int machines) {
        return new PoolLedger(backOff, heededUntil, debt, unreadSince, machines, nodes, reliability);
    }

    /**
     * Answers all new failures with one back-off, so that a hundred machines lost to one stock-out are one failure. The back-off has the
     * kind of the latest failure. A failure of an {@linkplain FailureKind#unfillable unfillable} request takes precedence over later
     * failures of other kinds. Requests that were made before the end of the back-off may fail later. Such a failure starts no other
     * back-off, unless it is the first one that shows that a request is unfillable.
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

    /** Returns the ledger after a request that was made now was refused. The refusal starts a back-off. */
    public PoolLedger refused(Failure failure, Instant now) {
        return failed(List.of(new Setback(failure, now, false)), now);
    }

    /** Treats all owed machines as requested now. Used after a failure of their requests has started a back-off. */
    public PoolLedger restartDebt(Instant now) {
        return new PoolLedger(backOff, heededUntil, debt.renewed(now), unreadSince, upcoming, nodes, reliability);
    }

    /**
     * Ends the back-off if a machine that was requested after the back-off is running. After a launch timeout, the machine must also be
     * usable. A machine that was requested before the back-off proves nothing. A machine with a future time proves nothing either: the
     * cloud's clock is ahead, or the local clock was set back.
     */
    public PoolLedger recovered(Collection<Machine> running, Collection<Machine> usable, Instant now) {
        var proof = backOff.filter(b -> b.kind() == FailureKind.LAUNCH_TIMEOUT).isPresent() ? usable : running;
        boolean delivers = backOff.filter(b -> proof.stream()
                        .filter(machine -> !machine.since().isAfter(now))
                        .anyMatch(machine -> machine.state() == Machine.State.RUNNING && b.isOver(machine.since())))
                .isPresent();
        return delivers
                ? new PoolLedger(Optional.empty(), heededUntil, debt, unreadSince, upcoming, nodes, reliability)
                : this;
    }

    /** Whether failures of requests that were made at {@code ordered} are no longer "in a row" with the failures of the back-off. */
    static boolean forgiven(BackOff backOff, Instant ordered) {
        return !ordered.isBefore(backOff.until().plus(FORGIVENESS));
    }

    /**
     * Whether the failure starts a new back-off. It does if its request was made after the current back-off, or if it is the first failure
     * to show that a request is unfillable.
     */
    private boolean isNew(Setback setback) {
        return backOff.map(b -> b.isOver(setback.ordered())
                        || (setback.failure().kind().unfillable() && !b.kind().unfillable()))
                .orElse(true);
    }

    private PoolLedger heed(Instant at) {
        return new PoolLedger(
                backOff, at.isAfter(heededUntil) ? at : heededUntil, debt, unreadSince, upcoming, nodes, reliability);
    }

    private PoolLedger backedOff(Setback setback, Instant now) {
        var failure = setback.failure();
        int before = backOff.filter(b -> !forgiven(b, setback.ordered()))
                .map(BackOff::failures)
                .orElse(0);
        var next = new BackOff(
                now.plus(failure.kind().backOff(before + 1)), failure.kind(), failure.message(), before + 1);
        var answered = new PoolLedger(
                Optional.of(next),
                heededUntil,
                debt,
                unreadSince,
                upcoming,
                nodes,
                failure.kind().isFailedLaunch() ? reliability.afterFailedLaunch(now) : reliability);
        return failure.kind().unfillable() ? answered.restartDebt(now) : answered;
    }
}
