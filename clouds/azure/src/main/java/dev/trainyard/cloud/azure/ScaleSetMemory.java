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
 * The memory of one scale set between two rounds of the scaler: Azure's last answers and the running operations. Answers are reused to keep
 * requests within Azure's limits. A restart may lose this state. Used by one thread at a time.
 */
final class ScaleSetMemory {

    /** The interval of reading the set during changes. For one set, Azure's rate limits allow 12 cheap and 10 costly requests a minute. */
    static final Duration SET_MOVING = Duration.ofSeconds(10);

    static final Duration SET_QUIET = Duration.ofSeconds(30);
    static final Duration MACHINES_MOVING = Duration.ofSeconds(10);
    static final Duration MACHINES_QUIET = Duration.ofMinutes(5);
    /** The interval of listing spot machines that are kept after eviction: the set's own description does not show evictions. */
    static final Duration SPOT_QUIET = Duration.ofMinutes(1);
    /** The time for which a list must stay the same to count as complete. */
    static final Duration SURE = Duration.ofSeconds(30);
    /** The time after which an operation is forgotten. Azure forgets operations too, and none takes this long. */
    private static final Duration OPERATION_LIMIT = Duration.ofMinutes(90);
    /** The pause after a failed removal. Azure's rate limit allows 4 removals a minute. */
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
    /** The etag of the scale set when the reason for its last failure was looked up. */
    @Nullable
    String explained;

    final Deque<Operation> operations = new ArrayDeque<>();
    private @Nullable Instant removalFailedAt;
    private String removalFailure = "";
    private @Nullable Listing listing;
    /** The difference between a flexible set's size and the number of its existing and provisioning machines. */
    private int missing;

    /** A list of machines of a settled set, and the time since which the list is unchanged. */
    private record Listing(String etag, Set<String> ids, Instant since, Instant last) {}

    /** Records a list of machines. An outdated list changes when it catches up, so an unchanged list is probably complete. */
    void listed(ScaleSet of, ScaleSetMachines told, Instant now) {
        var ids = told.machines().stream().map(Machine::id).collect(Collectors.toUnmodifiableSet());
        var before = listing;
        boolean same = before != null
                && before.etag().equals(of.etag())
                && before.ids().equals(ids);
        boolean settled = !of.changes() && operations.isEmpty();
        listing = !settled ? null : new Listing(of.etag(), ids, same && before != null ? before.since() : now, now);
        if (of.flexible() && isListedForAWhile()) {
            missing = of.capacity() - told.present();
        }
    }

    /**
     * Returns the number of machines that exist or are provisioning. A flexible set may have fewer machines than its size: some were removed
     * without a resize, or were not created. The size is not lowered in this case: Azure would delete as many existing machines as the size
     * drops by. The number includes missing machines until the set has settled and its list has stayed the same for a while.
     */
    int target(ScaleSet of) {
        return Math.max(0, of.capacity() - missing);
    }

    /** Whether the list that was read last had stayed the same for {@link #SURE}. */
    boolean isListedForAWhile() {
        return listing != null && !listing.last().isBefore(listing.since().plus(SURE));
    }

    /** Makes the next read ask Azure again, because something was changed. */
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

    /** Whether a change is in progress, so that the scaler should soon read its result. */
    boolean isMoving() {
        return set == null
                || machines == null
                || !operations.isEmpty()
                || set.changes()
                || target(set) != machines.present()
                || !machines.areSettled();
    }

    /** Returns the machines whose removal Azure has accepted and not finished. */
    Set<String> leaving() {
        var leaving = new HashSet<String>();
        operations.forEach(operation -> leaving.addAll(operation.removes()));
        return leaving;
    }

    /**
     * Removes and returns the operation whose state is requested next. Each read requests the state of one operation only, so that many
     * operations cost no more requests than one.
     */
    Optional<Operation> nextOperation(Instant now) {
        operations.removeIf(operation -> !now.isBefore(operation.begun().plus(OPERATION_LIMIT)));
        return Optional.ofNullable(operations.pollFirst());
    }

    /** @param words Azure's message on why machines were not removed */
    void removalFailed(String words, Instant now) {
        removalFailedAt = now;
        removalFailure = words;
    }

    void removalSucceeded() {
        removalFailedAt = null;
        removalFailure = "";
    }

    /** Returns Azure's message on why machines were not removed; empty if the last removal succeeded, or the failure is old. */
    Optional<String> removalFailure(Instant now) {
        return removalFailure.isEmpty() || Due.isDue(removalFailedAt, ScaleSetProvider.RECENT, now)
                ? Optional.empty()
                : Optional.of(removalFailure);
    }

    boolean mayRemove(Instant now) {
        return Due.isDue(removalFailedAt, REMOVAL_PAUSE, now);
    }

    /** @param order when the failed request was made; {@link Instant#MIN} if unknown */
    void orderFailed(Failure why, Instant order) {
        failure = Optional.of(why);
        failedOrder = order;
    }

    /** Clears the failure, unless the successful request is older than the failed one. */
    void orderSucceeded(Instant order) {
        if (order.isAfter(failedOrder)) {
            failure = Optional.empty();
        }
    }

    /** Returns the failure of the last failed request, until a later one succeeds. */
    Optional<Failure> failure() {
        return failure;
    }

    /** Returns the failures of machines, and the failure of the last failed request. */
    List<Failure> failures(List<Failure> ofMachines) {
        var all = new ArrayList<>(ofMachines);
        failure.ifPresent(all::add);
        return all;
    }
}
