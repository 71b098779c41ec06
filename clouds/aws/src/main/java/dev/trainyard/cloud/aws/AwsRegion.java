package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one region, read together: one request serves all pools. An answer is used for two seconds, unless we change a group
 * ourselves in that time. Thread-safe.
 */
final class AwsRegion implements AutoCloseable {

    /** How long an answer is used. The scaler may read five times a second, but AWS's view of a group changes far more slowly. */
    static final Duration FRESH = Duration.ofSeconds(2);
    /** The time after which a group is no longer read if no caller has asked for the group. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(10);

    /** How long an answer about lifecycle hooks is used. Hooks seldom change. */
    private static final Duration HOOKS_FRESH = Duration.ofMinutes(1);

    /** The beginning of the names of hooks that the scaler completes. Others may do work on the instance, such as saving logs. */
    private static final String OWN_HOOKS = "trainyard";

    private final String region;
    private final AwsCalls calls;
    private final Clock clock;

    private final ReentrantLock lock = new ReentrantLock();
    /** The time at which a caller last asked for each group, by name of the group. */
    private final Map<String, Instant> asked = new HashMap<>();

    private Optional<Listing> listing = Optional.empty();
    /** The running request. Its answer becomes the next listing, unless we change a group in the meantime. */
    private @Nullable Inquiry running;

    private final Map<String, ActivityHistory> histories = new ConcurrentHashMap<>();
    private final Map<String, Birth> births = new ConcurrentHashMap<>();
    /** Instances whose data from EC2 is complete. */
    private final Set<String> settled = ConcurrentHashMap.newKeySet();

    private final Map<String, Hooks> hooks = new ConcurrentHashMap<>();
    /** Instances whose hooks we completed. */
    private final Set<String> released = ConcurrentHashMap.newKeySet();

    private final OpenRequests sizes = new OpenRequests();
    private final Departures departures;
    private final PlacementScores scores;

    /** The hooks of a group that we complete, or the failure to read them. */
    private record Hooks(
            Instant at, List<String> names, @Nullable ProviderException failure) {}

    /** A running request and its future answer, which later callers share. */
    private record Inquiry(Set<String> names, CompletableFuture<Listing> answer) {}

    /** The answer to one request, or the failure of the request. All callers use the listing while it is valid. */
    private record Listing(
            Instant at, Map<String, Group> groups, @Nullable ProviderException failure) {

        /** Whether the listing is valid. Its age counts from the arrival of the answer, since AWS does not say when it read its data. */
        boolean isFresh(Instant now) {
            return !now.isBefore(at) && now.isBefore(at.plus(FRESH));
        }

        Group group(AwsRegion region, String name) throws ProviderException {
            if (failure != null) {
                throw failure;
            }
            return region.found(name, groups.get(name));
        }
    }

    AwsRegion(String region, AwsCalls calls, Clock clock) {
        this.region = region;
        this.calls = calls;
        this.clock = clock;
        this.departures = new Departures(clock);
        this.scores = new PlacementScores(region, calls);
    }

    AwsCalls calls() {
        return calls;
    }

    Departures departures() {
        return departures;
    }

    PlacementScores scores() {
        return scores;
    }

    /** Returns the group as it was at most two seconds ago. */
    Group recent(String name) throws ProviderException {
        Inquiry inquiry;
        boolean ours = false;
        lock.lock();
        try {
            var now = clock.instant();
            asked.values().removeIf(at -> at.plus(FORGOTTEN).isBefore(now));
            boolean isNew = asked.put(name, now) == null;
            var known = listing.filter(l -> l.isFresh(now) && (!isNew || l.failure() != null));
            if (known.isPresent()) {
                return known.get().group(this, name);
            }
            inquiry = running;
            if (inquiry == null || !inquiry.names().contains(name)) {
                inquiry = new Inquiry(Set.copyOf(asked.keySet()), new CompletableFuture<>());
                running = inquiry;
                ours = true;
            }
        } finally {
            lock.unlock();
        }
        return (ours ? list(inquiry) : await(inquiry)).group(this, name);
    }

    /**
     * Makes a request without holding the lock. A slow answer delays only the callers that need it, and each of them waits for one request
     * at most.
     */
    private Listing list(Inquiry inquiry) {
        var said = new Listing(
                clock.instant(), Map.of(), new ProviderException(FailureKind.TRANSIENT, "the request was cancelled"));
        try {
            var groups = calls.groups(inquiry.names()).stream()
                    .collect(Collectors.toMap(Group::name, group -> group, (a, b) -> b));
            said = new Listing(clock.instant(), groups, null);
        } catch (ProviderException e) {
            said = new Listing(clock.instant(), Map.of(), e);
        } finally {
            keep(inquiry, said);
            inquiry.answer().complete(said);
        }
        return said;
    }

    private void keep(Inquiry inquiry, Listing said) {
        lock.lock();
        try {
            if (!inquiry.equals(running)) {
                return;
            }
            running = null;
            listing = Optional.of(said);
            if (said.failure() == null) {
                // A recreated group must not inherit the failures of an older group of the same name.
                histories.keySet().retainAll(said.groups().keySet());
                hooks.keySet().retainAll(said.groups().keySet());
                sizes.keep(said.groups().keySet());
                var there = said.groups().values().stream()
                        .flatMap(group -> group.instances().stream())
                        .map(Group.Instance::id)
                        .collect(Collectors.toSet());
                births.keySet().retainAll(there);
                settled.retainAll(there);
                released.retainAll(there);
            }
        } finally {
            lock.unlock();
        }
    }

    private Listing await(Inquiry inquiry) throws ProviderException {
        try {
            return inquiry.answer().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProviderException(
                    FailureKind.TRANSIENT, "interrupted while waiting for AWS's answer about region " + region);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the request for Auto Scaling groups ended with an exception", e);
        }
    }

    /** Returns the group as it is now. */
    Group now(String name) throws ProviderException {
        return found(name, calls.groups(List.of(name)).stream().findFirst().orElse(null));
    }

    /** Discards the last listing and the running request, because we changed a group. */
    void changed() {
        lock.lock();
        try {
            listing = Optional.empty();
            running = null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the shortage of a group; empty if no machine is missing. Activities are read only during a shortage. This saves a request for
     * each group that lacks no machine.
     */
    Optional<Shortage> shortage(Group group) throws ProviderException {
        var now = clock.instant();
        if (!group.isShort()) {
            sizes.whole(group, now);
            return Optional.empty();
        }
        var before = histories.getOrDefault(group.name(), ActivityHistory.EMPTY);
        var history = before.with(calls.activities(group.name(), before.from(now)), now);
        histories.put(group.name(), history);
        return Optional.of(sizes.shortage(group, before, history, now));
    }

    /**
     * Records the activities of a group before more machines are requested. Otherwise these activities would be taken for results of the new
     * request.
     *
     * @param target the number of machines that will be requested
     */
    void ordering(Group group, int target) {
        var now = clock.instant();
        var before = histories.getOrDefault(group.name(), ActivityHistory.EMPTY);
        try {
            var read = calls.activities(group.name(), before.from(now));
            histories.put(group.name(), before.with(read, now));
            sizes.order(group.name(), target, EarlierActivities.of(read), now);
        } catch (ProviderException unknown) {
            // The caller makes the request nevertheless. Its activities are then recognised only by their times, like
            // the activities of requests that somebody else made.
            sizes.orderUnknown(group.name());
        }
    }

    /**
     * Returns the launch times and names of the group's instances. EC2 is asked again about an instance that has come into service, since
     * only running instances have a name.
     */
    Map<String, Birth> births(Group group) throws ProviderException {
        var ids = group.instances().stream().map(Group.Instance::id).toList();
        var unknown = group.instances().stream()
                .filter(instance -> !settled.contains(instance.id())
                        && (instance.canBeProtected() || !births.containsKey(instance.id())))
                .map(Group.Instance::id)
                .toList();
        if (!unknown.isEmpty()) {
            births.putAll(calls.births(unknown));
        }
        for (var instance : group.instances()) {
            var birth = births.get(instance.id());
            if (birth != null && (instance.canBeProtected() || birth.dnsName().isPresent())) {
                settled.add(instance.id());
            }
        }
        return ids.stream()
                .flatMap(id -> Stream.ofNullable(births.get(id)).map(birth -> Map.entry(id, birth)))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Returns the instances whose termination one of our hooks delays. Makes no request if no instance waits. */
    Set<String> held(Group group) throws ProviderException {
        var waiting = group.waitingToEnd().stream()
                .filter(id -> !released.contains(id))
                .collect(Collectors.toSet());
        return waiting.isEmpty() || hooks(group.name()).isEmpty() ? Set.of() : waiting;
    }

    /** Completes our hooks for an instance, so that AWS goes on with its termination. */
    void release(Group group, String instance) throws ProviderException {
        try {
            for (var hook : hooks(group.name())) {
                calls.complete(group.name(), hook, instance);
            }
            released.add(instance);
        } finally {
            changed();
        }
    }

    private List<String> hooks(String group) throws ProviderException {
        var now = clock.instant();
        var known = hooks.get(group);
        if (known == null
                || now.isBefore(known.at())
                || !now.isBefore(known.at().plus(HOOKS_FRESH))) {
            try {
                known = new Hooks(
                        now,
                        calls.terminationHooks(group).stream()
                                .filter(name -> name.startsWith(OWN_HOOKS))
                                .toList(),
                        null);
            } catch (ProviderException e) {
                known = new Hooks(now, List.of(), e);
            }
            hooks.put(group, known);
        }
        if (known.failure() != null) {
            throw known.failure();
        }
        return known.names();
    }

    private Group found(String name, @Nullable Group group) throws ProviderException {
        if (group == null) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "spec.provider.awsAutoScalingGroup.name: Auto Scaling group %s was not found in region %s with these credentials"
                            .formatted(name, region));
        }
        return departures.shown(group);
    }

    @Override
    public void close() {
        calls.close();
    }
}
