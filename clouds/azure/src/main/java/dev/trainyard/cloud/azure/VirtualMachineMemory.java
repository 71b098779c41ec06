package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.models.InstanceViewStatus;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one pool of single machines between two rounds of the scaler. Azure's answers are reused to keep requests within Azure's
 * limits. A restart may lose this state. Used by one thread at a time.
 */
final class VirtualMachineMemory {

    /** The interval of reads during changes. Lists of a resource group are costly: Azure allows a subscription 360 a minute. */
    static final Duration MOVING = Duration.ofSeconds(10);

    static final Duration QUIET = Duration.ofSeconds(30);
    /** The interval of reading interfaces and disks while no machine is being removed. */
    static final Duration PARTS_QUIET = Duration.ofMinutes(10);
    /** The interval of reading instance views. A failed machine may start late, and a running one may be evicted. */
    static final Duration VIEWED = Duration.ofMinutes(1);
    /**
     * How long a network interface that Trainyard created may be without a machine. After this time it will not get one: the request for
     * the machine was interrupted.
     */
    static final Duration ABANDONED = Duration.ofMinutes(10);

    /** How long accepted changes may be missing in Azure's lists, since the lists lag behind. */
    static final Duration LAG = Duration.ofMinutes(5);

    private @Nullable PoolState state;
    private @Nullable Instant stateAt;
    private @Nullable Instant partsAt;
    private boolean clearing = true;
    private Map<String, Instant> looseSince = Map.of();
    /** Instance views of machines, by id. */
    private final Map<String, View> views = new ConcurrentHashMap<>();

    /** The times at which Azure accepted machines that no list shows yet, by name of the machine. */
    private final Map<String, Instant> ordered = new ConcurrentHashMap<>();
    /** The times at which Azure accepted the removal of machines, by id of the machine. */
    private final Map<String, Instant> removed = new ConcurrentHashMap<>();
    /** The reason for which Azure refused the rest of a request, after it had accepted a part. */
    private Optional<Failure> refusal = Optional.empty();

    private @Nullable Growth unfinished;
    private boolean recalled;

    private record View(List<InstanceViewStatus> statuses, Instant at) {
        View {
            statuses = List.copyOf(statuses);
        }
    }

    /** A request for more machines. */
    record Growth(int from, int to) {}

    void begin(Growth growth) {
        unfinished = growth;
    }

    void finished() {
        unfinished = null;
    }

    /** @param failure why Azure refused the rest of a request; empty if it accepted the whole */
    void accepted(Optional<Failure> failure) {
        refusal = failure;
    }

    /** Returns why Azure refused the rest of the last request; empty if the refusal is old, or Azure accepted the whole. */
    List<Failure> refusal(Instant now) {
        return refusal.filter(failure -> failure.at().isAfter(now.minus(ScaleSetProvider.RECENT))).stream()
                .toList();
    }

    /** Records that Azure accepted a machine of that name. May be called by any thread. */
    void ordered(String name, Instant now) {
        ordered.put(name.toLowerCase(Locale.ROOT), now);
    }

    /** Records that Azure accepted the removal of that machine. May be called by any thread. */
    void removed(String id, Instant now) {
        removed.put(id, now);
    }

    /**
     * Returns the names of accepted machines that are in no list yet, with the times of acceptance.
     *
     * @param listed the names in Azure's list
     */
    SortedMap<String, Instant> unlisted(Collection<String> listed, Instant now) {
        listed.forEach(name -> ordered.remove(name.toLowerCase(Locale.ROOT)));
        expire(ordered, now);
        return new TreeMap<>(ordered);
    }

    /** Whether the machine is being removed, even if Azure's list does not show that yet. */
    boolean isLeaving(String id, Instant now) {
        expire(removed, now);
        return removed.containsKey(id);
    }

    /**
     * Whether this process has looked for machines that an earlier process requested. Before that, some of these machines may be in no list.
     */
    boolean hasRecalled() {
        return recalled;
    }

    void recalled() {
        recalled = true;
    }

    /**
     * Whether exactly this request was begun and failed half-way. Only such a request may continue from a size other than
     * {@code growth.from()}.
     */
    boolean isUnfinished(Growth growth) {
        return growth.equals(unfinished);
    }

    /** Makes the next read ask Azure again for everything, because something was changed. */
    void outdated() {
        stateAt = null;
        partsAt = null;
        clearing = true;
    }

    /** Returns the last state that was read; empty if it is too old. */
    Optional<PoolState> recent(Instant now) {
        return Due.isDue(stateAt, moves() ? MOVING : QUIET, now) ? Optional.empty() : Optional.ofNullable(state);
    }

    void read(PoolState reading, Instant now) {
        state = reading;
        stateAt = now;
    }

    /** Returns the machine's state at the last read; empty if the machine was unknown or being removed. */
    Optional<Machine.State> lastState(String machine) {
        return state == null
                ? Optional.empty()
                : state.machines().stream()
                        .filter(known -> known.id().equals(machine))
                        .filter(Machine::counts)
                        .map(Machine::state)
                        .findFirst();
    }

    /** Discards the instance views of all machines except the given ones. */
    void keepViews(Collection<String> machines) {
        views.keySet().retainAll(machines);
    }

    boolean viewIsDue(String machine, Instant now) {
        var known = views.get(machine);
        return Due.isDue(known == null ? null : known.at(), VIEWED, now);
    }

    /** Records the instance view of a machine. May be called by any thread. */
    void viewed(String machine, List<InstanceViewStatus> statuses, Instant now) {
        views.put(machine, new View(statuses, now));
    }

    /** Returns the last instance view of a machine, even if it is due to be read again. */
    Optional<List<InstanceViewStatus>> view(String machine) {
        return Optional.ofNullable(views.get(machine)).map(View::statuses);
    }

    boolean partsAreDue(Instant now) {
        return Due.isDue(partsAt, clearing ? MOVING : PARTS_QUIET, now);
    }

    /**
     * @param leaving whether something is being removed
     * @param loose interfaces made by Trainyard that have no machine
     */
    void readParts(boolean leaving, Collection<String> loose, Instant now) {
        var since = new HashMap<String, Instant>();
        for (var nic : loose) {
            var before = looseSince.getOrDefault(nic, now);
            since.put(nic, before.isAfter(now) ? now : before);
        }
        looseSince = since;
        clearing = leaving || !loose.isEmpty();
        partsAt = now;
    }

    /** Returns the interfaces that will not get a machine. */
    Set<String> abandoned(Instant now) {
        return looseSince.entrySet().stream()
                .filter(nic -> !now.isBefore(nic.getValue().plus(ABANDONED)))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    private boolean moves() {
        return clearing
                || state == null
                || state.machines().stream()
                        .anyMatch(machine ->
                                machine.state() == Machine.State.CREATING || machine.state() == Machine.State.DELETING);
    }

    /**
     * Removes entries older than {@link #LAG}. An entry with a future time was made before the clock was set back. Such an entry gets the
     * current time and expires after another {@code LAG}.
     */
    private static void expire(Map<String, Instant> accepted, Instant now) {
        accepted.replaceAll((name, at) -> at.isAfter(now) ? now : at);
        accepted.values().removeIf(at -> Due.isDue(at, LAG, now));
    }
}
