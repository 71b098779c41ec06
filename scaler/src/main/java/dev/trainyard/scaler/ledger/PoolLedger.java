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

/**
 * What must be remembered of a pool. Immutable; kept in the status of its TrainingPool.
 *
 * @param backOff the last one, over or not; empty when the pool has delivered since
 * @param heededUntil failures that happened by then have been answered
 * @param owedSince since when the cloud owes machines without any arriving; empty when it owes none
 * @param unreadSince since when the pool could not be read; empty when the last read succeeded
 */
public record PoolLedger(
        Optional<BackOff> backOff, Instant heededUntil, Optional<Instant> owedSince, Optional<Instant> unreadSince) {

    public static final PoolLedger EMPTY =
            new PoolLedger(Optional.empty(), Instant.EPOCH, Optional.empty(), Optional.empty());

    /** Failures further apart than this are not "in a row". */
    private static final Duration FORGIVENESS = Duration.ofHours(1);

    public boolean backsOff(Instant now) {
        return backOff.map(b -> b.active(now)).orElse(false);
    }

    /** After a failed read: nothing else changes. */
    public PoolLedger unread(Instant now) {
        return new PoolLedger(backOff, heededUntil, owedSince, Optional.of(unreadSince.orElse(now)));
    }

    /**
     * After a successful read.
     *
     * @param owed machines that the cloud has not even begun to run
     * @param lastArrival when the pool's youngest node joined
     */
    public PoolLedger read(int owed, Optional<Instant> lastArrival, Instant now) {
        var since = owedSince.orElse(now);
        var waiting = lastArrival.filter(since::isBefore).orElse(since);
        return new PoolLedger(
                backOff, heededUntil, owed == 0 ? Optional.empty() : Optional.of(waiting), Optional.empty());
    }

    /** The failures among {@code failures} that have not been answered yet, the latest last. */
    public List<Failure> news(Collection<Failure> failures) {
        return failures.stream()
                .filter(failure -> failure.at().isAfter(heededUntil))
                .sorted(Comparator.comparing(Failure::at))
                .toList();
    }

    /** Answers a failure: a back-off that is longer the more failures there were in a row. */
    public PoolLedger failed(Failure failure, Instant now) {
        int before = backOff.filter(b -> now.isBefore(b.until().plus(FORGIVENESS)))
                .map(BackOff::failures)
                .orElse(0);
        var next = new BackOff(
                now.plus(failure.kind().backOff(before + 1)), failure.kind(), failure.message(), before + 1);
        var heeded = failure.at().isAfter(heededUntil) ? failure.at() : heededUntil;
        // What is still owed gets its full time again once it has been answered for.
        var owed = failure.kind().unfillable() ? owedSince.map(since -> now) : owedSince;
        return new PoolLedger(Optional.of(next), heeded, owed, unreadSince);
    }

    /**
     * Forgets the back-off when the cloud does again what it failed to do, for a machine that was asked for after the last failure: when
     * one runs, or, where machines ran and were not usable, when one is usable.
     */
    public PoolLedger recovered(Collection<Machine> running, Collection<Machine> usable) {
        var proof = backOff.filter(b -> b.kind() == FailureKind.LAUNCH_TIMEOUT).isPresent() ? usable : running;
        boolean delivers = backOff.isPresent()
                && proof.stream()
                        .anyMatch(machine -> machine.state() == Machine.State.RUNNING
                                && machine.since().isAfter(heededUntil));
        return delivers ? new PoolLedger(Optional.empty(), heededUntil, owedSince, unreadSince) : this;
    }
}
