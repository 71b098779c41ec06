package dev.trainyard.cloud.azure;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of one scale set between rounds: the last reading, so that Azure is asked no more often than it allows, and the
 * operations that go on. Nothing here has to outlive a restart. Used by one thread at a time.
 */
final class ScaleSetMemory {

    /** How often each thing is read. Azure's buckets for one set refill by 12 cheap and 10 costly requests a minute. */
    static final Duration SET_MOVING = Duration.ofSeconds(10);

    static final Duration SET_QUIET = Duration.ofSeconds(30);
    static final Duration MACHINES_MOVING = Duration.ofSeconds(10);
    static final Duration MACHINES_QUIET = Duration.ofMinutes(5);
    /** Evicted machines that stay do not show in the set's own description. */
    static final Duration SPOT_QUIET = Duration.ofMinutes(1);
    /** Lists that are the same after so long are taken for whole. */
    static final Duration SURE = Duration.ofSeconds(30);
    /** Azure forgets operations; none takes this long. */
    private static final Duration OPERATION_LIMIT = Duration.ofMinutes(90);
    /** A removal that failed is not tried again sooner: a bucket refills by 4 of them a minute. */
    private static final Duration REMOVAL_PAUSE = Duration.ofMinutes(1);

    @Nullable
    ScaleSet set;

    @Nullable
    ScaleSetMachines machines;

    @Nullable
    Instant setAt;

    @Nullable
    Instant machinesAt;

    private Optional<Failure> failure = Optional.empty();
    private Instant failedOrder = Instant.MIN;
    /** Of which failed description the failure was looked up. */
    @Nullable
    String explained;

    final Deque<Operation> operations = new ArrayDeque<>();
    private @Nullable Instant removalFailedAt;
    private String removalFailure = "";
    private @Nullable Listing listing;
    /** By how much the size of a flexible set is higher than the number of machines that exist, and those that come. */
    private int missing;

    /** A list of machines of a set that had settled, and since when it has been the same. */
    private record Listing(String etag, Set<String> ids, Instant since, Instant last) {}

    /** Notes what was listed: a list that lags behind changes as it catches up. */
    void listed(ScaleSet of, ScaleSetMachines told, Instant now) {
        var ids = told.machines().stream().map(Machine::id).collect(Collectors.toUnmodifiableSet());
        var before = listing;
        boolean same = before != null
                && before.etag().equals(of.etag())
                && before.ids().equals(ids);
        boolean settled = !of.changes() && operations.isEmpty();
        listing = !settled ? null : new Listing(of.etag(), ids, same && before != null ? before.since() : now, now);
        if (of.flexible() && isListedForAWhile(now)) {
            missing = of.capacity() - told.present();
        }
    }

    /**
     * Returns the machines that exist or come. For a flexible set that is less than its size if machines went alone, or did not come: the size
     * stays then, and cannot be lowered without a loss. They are counted until the set has settled and its list has stayed the same for a
     * while.
     */
    int target(ScaleSet of) {
        return Math.max(0, of.capacity() - missing);
    }

    /** Whether the last list was the same as one of a while before. */
    boolean isListedForAWhile(Instant now) {
        return listing != null
                && listing.last().equals(now)
                && !listing.last().isBefore(listing.since().plus(SURE));
    }

    /** Nothing that was read holds any more: something was changed. */
    void outdated() {
        setAt = null;
        machinesAt = null;
    }

    boolean setIsDue(Instant now) {
        return Due.isDue(setAt, isMoving() ? SET_MOVING : SET_QUIET, now);
    }

    boolean machinesAreDue(Instant now) {
        var every = isMoving()
                ? MACHINES_MOVING.multipliedBy(machines == null ? 1 : Math.max(1, machines.pages()))
                : set != null && set.deallocates() ? SPOT_QUIET : MACHINES_QUIET;
        return Due.isDue(machinesAt, every, now);
    }

    /** Whether something goes on that a round should see soon. */
    boolean isMoving() {
        return set == null
                || machines == null
                || !operations.isEmpty()
                || set.changes()
                || target(set) != machines.present()
                || !machines.areSettled();
    }

    /** Machines whose removal Azure has accepted and not finished. */
    Set<String> leaving() {
        var leaving = new HashSet<String>();
        operations.forEach(operation -> leaving.addAll(operation.removes()));
        return leaving;
    }

    /** The operation to look at next; each has its turn, so that many cost no more requests than one. */
    Optional<Operation> nextOperation(Instant now) {
        operations.removeIf(operation -> !now.isBefore(operation.begun().plus(OPERATION_LIMIT)));
        return Optional.ofNullable(operations.pollFirst());
    }

    /** @param words Azure's own, of why machines were not removed */
    void removalFailed(String words, Instant now) {
        removalFailedAt = now;
        removalFailure = words;
    }

    void removalSucceeded() {
        removalFailure = "";
    }

    /** Why machines were not removed, in Azure's words; empty when the last removal succeeded, or that was a while ago. */
    Optional<String> removalFailure(Instant now) {
        return removalFailure.isEmpty() || Due.isDue(removalFailedAt, ScaleSetProvider.RECENT, now)
                ? Optional.empty()
                : Optional.of(removalFailure);
    }

    boolean mayRemove(Instant now) {
        return Due.isDue(removalFailedAt, REMOVAL_PAUSE, now);
    }

    /** @param order when it began that failed; {@link Instant#MIN} where that is not known */
    void orderFailed(Failure why, Instant order) {
        failure = Optional.of(why);
        failedOrder = order;
    }

    /** An older order that succeeds at last says nothing of the one that failed. */
    void orderSucceeded(Instant order) {
        if (order.isAfter(failedOrder)) {
            failure = Optional.empty();
        }
    }

    /** The last order that failed, until a later one succeeds. */
    Optional<Failure> failure() {
        return failure;
    }

    /** Failures of machines and of orders, the recent ones. */
    List<Failure> failures(List<Failure> ofMachines) {
        var all = new ArrayList<>(ofMachines);
        failure.ifPresent(all::add);
        return all;
    }
}
