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
 * The groups of one region, read together: all pools cost one request, however many there are. What is read holds for two seconds, unless
 * we change something ourselves. Thread-safe.
 */
final class AwsRegion implements AutoCloseable {

    /** Rounds may follow each other five times a second; AWS's view of a group changes far more slowly. */
    static final Duration FRESH = Duration.ofSeconds(2);
    /** A group that nobody asked about for so long is not read with the others any more. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(10);

    private final String region;
    private final AwsCalls calls;
    private final Clock clock;

    private final ReentrantLock lock = new ReentrantLock();
    /** When each group was last asked about. */
    private final Map<String, Instant> asked = new HashMap<>();

    private Optional<Listing> listing = Optional.empty();
    /** The request whose answer will be the next listing, unless we change something before it comes. */
    private @Nullable Inquiry running;

    private final Map<String, History> histories = new ConcurrentHashMap<>();
    private final Map<String, Birth> births = new ConcurrentHashMap<>();
    /** Instances of which EC2 has said all that it will. */
    private final Set<String> settled = ConcurrentHashMap.newKeySet();

    private final Sizes sizes = new Sizes();
    private final Departures departures;

    /** A request that is under way, and what comes of it: also for those who ask meanwhile. */
    private record Inquiry(Set<String> names, CompletableFuture<Listing> answer) {}

    /** What one request said, or that it failed, for all who ask within its time. */
    private record Listing(
            Instant at, Map<String, Group> groups, @Nullable ProviderException failure) {

        /** From when it was answered: nobody knows when in between AWS looked. */
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
    }

    AwsCalls calls() {
        return calls;
    }

    Departures departures() {
        return departures;
    }

    /** The group as it was at most two seconds ago. */
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

    /** Without the lock: a slow AWS keeps those waiting who want to know, and nobody for longer than one request takes. */
    private Listing list(Inquiry inquiry) {
        var said = new Listing(
                clock.instant(), Map.of(), new ProviderException(FailureKind.TRANSIENT, "its listing was cut off"));
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
                // A group that is made anew is not to be blamed for what became of another one of its name.
                histories.keySet().retainAll(said.groups().keySet());
                sizes.keep(said.groups().keySet());
                var there = said.groups().values().stream()
                        .flatMap(group -> group.instances().stream())
                        .map(Group.Instance::id)
                        .collect(Collectors.toSet());
                births.keySet().retainAll(there);
                settled.retainAll(there);
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
            throw new ProviderException(FailureKind.TRANSIENT, "interrupted while waiting for " + region);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a listing never ends with an exception", e);
        }
    }

    /** The group as it is now. */
    Group now(String name) throws ProviderException {
        return found(name, calls.groups(List.of(name)).stream().findFirst().orElse(null));
    }

    /** What was read does not hold any more: we changed something. */
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
     * What the group is short of; empty when nothing is missing. Activities matter only while something is, which saves a request for each
     * group that is at rest.
     */
    Optional<Shortage> shortage(Group group) throws ProviderException {
        var now = clock.instant();
        if (!group.isShort()) {
            sizes.whole(group, now);
            return Optional.empty();
        }
        var before = histories.getOrDefault(group.name(), History.EMPTY);
        var history = before.with(calls.activities(group.name(), before.from(now)), now);
        histories.put(group.name(), history);
        return Optional.of(sizes.shortage(group, before, history, now));
    }

    /**
     * To be called before a group is asked for more: what it has done by then is not to be taken for what comes of that.
     *
     * @param target machines that it will be asked for
     */
    void ordering(Group group, int target) {
        var now = clock.instant();
        var before = histories.getOrDefault(group.name(), History.EMPTY);
        try {
            var read = calls.activities(group.name(), before.from(now));
            histories.put(group.name(), before.with(read, now));
            sizes.order(group.name(), target, Past.of(read), now);
        } catch (ProviderException unknown) {
            // Then times must do, as for what others ask for: machines do not wait for that.
            sizes.orderUnknown(group.name());
        }
    }

    /** When the group's instances were launched and what they are called; a name is there only once they run, so that EC2 is asked twice. */
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

    private Group found(String name, @Nullable Group group) throws ProviderException {
        if (group == null) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "spec.provider.awsAutoScalingGroup.name: there is no Auto Scaling group %s in region %s for these credentials"
                            .formatted(name, region));
        }
        return departures.shown(group);
    }

    @Override
    public void close() {
        calls.close();
    }
}
