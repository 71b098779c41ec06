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
 * What must be remembered of a pool. Immutable; kept in the status of its TrainingPool.
 *
 * @param backOff the last one, over or not; empty when the pool has delivered since
 * @param heededUntil failures that happened by then have been answered
 * @param debt machines that the cloud owes
 * @param unreadSince since when the pool could not be read; empty when the last read succeeded
 * @param upcoming machines that were asked for and not usable yet, as far as it was known last
 * @param nodes of the nodes that it has had
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

    /** Of a pool of whose nodes nothing is known. */
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
     * By a clock that may have been set back since. A back-off that would begin only later is forgotten: it may have been over, and nothing
     * that happens until its end would be taken for a new failure.
     */
    public PoolLedger asOf(Instant now) {
        return new PoolLedger(backOff.filter(b -> !b.isAhead(now)), heededUntil, debt, unreadSince, upcoming, nodes);
    }

    /** After a failed read: nothing else changes. */
    public PoolLedger unread(Instant now) {
        return new PoolLedger(
                backOff, heededUntil, debt, Optional.of(past(unreadSince, now).orElse(now)), upcoming, nodes);
    }

    /**
     * After a successful read, which {@link #machines} comes after.
     *
     * @param owed machines asked for of which no node has come
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

    /** What is in the future happened by a clock that was set back since. Patience that began then would not end until it is past. */
    private static Optional<Instant> past(Optional<Instant> at, Instant now) {
        return at.filter(time -> !time.isAfter(now));
    }

    /**
     * With the labels of nodes that are in service.
     *
     * @param at when the youngest of them had all its labels
     */
    public PoolLedger seen(Collection<String> labels, Instant at) {
        return withNodes(nodes.seen(labels, at));
    }

    /**
     * With the machines that the cloud lists.
     *
     * @param withNode those of them that have a node
     */
    public PoolLedger machines(Set<String> listed, Set<String> withNode, Instant now) {
        return withNodes(nodes.machines(listed, withNode, now));
    }

    /**
     * Excludes pods until a machine that just joined has settled.
     *
     * @param pods the digest of what they demand
     */
    public PoolLedger excludedUntil(Instant settled, String pods, String reason, Instant now) {
        return withNodes(nodes.with(Exclusion.provisional(pods, settled, reason), now));
    }

    /**
     * Excludes pods that cannot run on a machine that joined for them.
     *
     * @param pods the digest of what they demand
     * @param lasting whether the cause lies in the machine itself, so that the next one will not do either
     */
    public PoolLedger excluded(String pods, boolean lasting, String reason, Instant now) {
        return withNodes(nodes.with(Exclusion.after(pods, nodes.failures(pods, now), lasting, reason, now), now));
    }

    /** Such pods have been placed on the pool's machines after all. */
    public PoolLedger admitted(Collection<String> pods) {
        return withNodes(nodes.without(pods));
    }

    private PoolLedger withNodes(NodeHistory changed) {
        return new PoolLedger(backOff, heededUntil, debt, unreadSince, upcoming, changed);
    }

    /** Before the pool is left alone until the next round, which may be unable to read it. */
    public PoolLedger expecting(int machines) {
        return new PoolLedger(backOff, heededUntil, debt, unreadSince, machines, nodes);
    }

    /**
     * Answers the failures that have not been answered yet with one back-off: a hundred machines that one stock-out cost are one failure, and
     * so is what else comes, later, of orders from before the back-off. The gravest one gives it its name, then the latest.
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

    /** Answers the refusal of a request that was made now. */
    public PoolLedger refused(Failure failure, Instant now) {
        return failed(List.of(new Setback(failure, now, false)), now);
    }

    /** What is still owed gets its full time again once it has been answered for. */
    public PoolLedger patient(Instant now) {
        return new PoolLedger(backOff, heededUntil, debt.renewed(now), unreadSince, upcoming, nodes);
    }

    /**
     * Forgets the back-off when the cloud does again what it failed to do, for a machine that was ordered after the back-off: when one runs,
     * or, where machines ran and were not usable, when one is usable. One that came of the same order as the failure proves nothing,
     * nor does one from the future, which a clock has that goes ahead of this one, or went before it was set back.
     */
    public PoolLedger recovered(Collection<Machine> running, Collection<Machine> usable, Instant now) {
        var proof = backOff.filter(b -> b.kind() == FailureKind.LAUNCH_TIMEOUT).isPresent() ? usable : running;
        boolean delivers = backOff.filter(b -> proof.stream()
                        .filter(machine -> !machine.since().isAfter(now))
                        .anyMatch(machine -> machine.state() == Machine.State.RUNNING && b.isOver(machine.since())))
                .isPresent();
        return delivers ? new PoolLedger(Optional.empty(), heededUntil, debt, unreadSince, upcoming, nodes) : this;
    }

    /** Whether failures that come of orders made then do not count as in a row with the ones before. */
    static boolean forgiven(BackOff backOff, Instant ordered) {
        return !ordered.isBefore(backOff.until().plus(FORGIVENESS));
    }

    /** Whether it is not the same cause again: also when it says that an order will not be filled, and that was not known. */
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
        return failure.kind().unfillable() ? answered.patient(now) : answered;
    }
}
