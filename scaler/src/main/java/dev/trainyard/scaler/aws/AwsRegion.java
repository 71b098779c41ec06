package dev.trainyard.scaler.aws;

import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
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

    private final Map<String, History> histories = new ConcurrentHashMap<>();
    private final Map<String, Birth> births = new ConcurrentHashMap<>();

    /** What one request said, or that it failed, for all who ask within its time. */
    private record Listing(
            Instant at, Map<String, Group> groups, @Nullable ProviderException failure) {

        boolean isFresh(Instant now) {
            return !now.isBefore(at) && now.isBefore(at.plus(FRESH));
        }
    }

    AwsRegion(String region, AwsCalls calls, Clock clock) {
        this.region = region;
        this.calls = calls;
        this.clock = clock;
    }

    AwsCalls calls() {
        return calls;
    }

    /** The group as it was at most two seconds ago. */
    Group recent(String name) throws ProviderException {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProviderException(FailureKind.TRANSIENT, "interrupted while waiting for " + region);
        }
        try {
            var now = clock.instant();
            asked.values().removeIf(at -> at.plus(FORGOTTEN).isBefore(now));
            boolean isNew = asked.put(name, now) == null;
            var known = listing.filter(l -> l.isFresh(now) && (!isNew || l.failure() != null));
            var current = known.isPresent() ? known.get() : list(now);
            if (current.failure() != null) {
                throw current.failure();
            }
            return found(name, current.groups().get(name));
        } finally {
            lock.unlock();
        }
    }

    private Listing list(Instant now) {
        Listing current;
        try {
            var groups = calls.groups(new TreeSet<>(asked.keySet())).stream()
                    .collect(Collectors.toMap(Group::name, group -> group, (a, b) -> b));
            current = new Listing(now, groups, null);
        } catch (ProviderException e) {
            current = new Listing(now, Map.of(), e);
        }
        listing = Optional.of(current);
        return current;
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
        } finally {
            lock.unlock();
        }
    }

    /** What the group did within the last hour. */
    Collection<Activity> activities(String name) throws ProviderException {
        var now = clock.instant();
        var known = histories.getOrDefault(name, History.EMPTY);
        var history = known.with(calls.activities(name, known.from(now)), now);
        histories.put(name, history);
        return history.activities().values();
    }

    /** When the group's instances were launched; asked of EC2 once for each. */
    Map<String, Birth> births(Group group) throws ProviderException {
        var ids = group.instances().stream().map(Group.Instance::id).toList();
        var unknown = ids.stream().filter(id -> !births.containsKey(id)).toList();
        if (!unknown.isEmpty()) {
            births.putAll(calls.births(unknown));
        }
        return ids.stream().filter(births::containsKey).collect(Collectors.toMap(id -> id, births::get));
    }

    private Group found(String name, @Nullable Group group) throws ProviderException {
        if (group == null) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "spec.provider.awsAutoScalingGroup.name: there is no Auto Scaling group %s in region %s for these credentials"
                            .formatted(name, region));
        }
        return group;
    }

    @Override
    public void close() {
        calls.close();
    }
}
