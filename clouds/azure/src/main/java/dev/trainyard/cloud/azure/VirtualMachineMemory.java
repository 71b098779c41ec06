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
 * What is remembered of one pool of single machines between rounds, so that Azure is asked no more often than it allows. Nothing here has to
 * outlive a restart. Used by one thread at a time.
 */
final class VirtualMachineMemory {

    /** Lists of a resource group are costly: Azure refills 360 a minute for a subscription. */
    static final Duration MOVING = Duration.ofSeconds(10);

    static final Duration QUIET = Duration.ofSeconds(30);
    /** Interfaces and disks while no machine leaves. */
    static final Duration PARTS_QUIET = Duration.ofMinutes(10);
    /** A machine that failed may start late, and one that runs may be evicted. */
    static final Duration VIEWED = Duration.ofMinutes(1);
    /** An interface made here that has no machine for so long will not get one: its order was cut short. */
    static final Duration ABANDONED = Duration.ofMinutes(10);

    /** What Azure accepted may be missing in its lists for so long: they are served from a store that lags. */
    static final Duration LAG = Duration.ofMinutes(5);

    private @Nullable PoolState state;
    private @Nullable Instant stateAt;
    private @Nullable Instant partsAt;
    private boolean clearing = true;
    private Map<String, Instant> looseSince = Map.of();
    /** What Azure said of machines one by one, by their ids. */
    private final Map<String, View> views = new ConcurrentHashMap<>();

    /** Names of machines that Azure accepted and has not listed yet, and when. */
    private final Map<String, Instant> ordered = new ConcurrentHashMap<>();
    /** Ids of machines whose removal Azure accepted, and when. */
    private final Map<String, Instant> removed = new ConcurrentHashMap<>();
    /** Of an order of which Azure accepted a part: why it refused the rest. */
    private Optional<Failure> refusal = Optional.empty();

    private @Nullable Growth unfinished;
    private boolean begun;

    private record View(List<InstanceViewStatus> statuses, Instant at) {
        View {
            statuses = List.copyOf(statuses);
        }
    }

    /** An order of more machines. */
    record Growth(int from, int to) {}

    void begin(Growth growth) {
        unfinished = growth;
    }

    void finished() {
        unfinished = null;
    }

    /** @param failure why Azure refused a part of an order, and accepted the rest; empty when it accepted the whole */
    void accepted(Optional<Failure> failure) {
        refusal = failure;
    }

    /** Why the rest of the last order was refused, while anybody waits for it. */
    List<Failure> refusal(Instant now) {
        return refusal.filter(failure -> failure.at().isAfter(now.minus(ScaleSetProvider.RECENT))).stream()
                .toList();
    }

    /** Azure accepted a machine of that name. For any thread. */
    void ordered(String name, Instant now) {
        ordered.put(name.toLowerCase(Locale.ROOT), now);
    }

    /** Azure accepted the removal of that machine. For any thread. */
    void removed(String id, Instant now) {
        removed.put(id, now);
    }

    /**
     * Names of accepted machines that are in no list yet, and when they were accepted.
     *
     * @param listed the names in Azure's list
     */
    SortedMap<String, Instant> unlisted(Collection<String> listed, Instant now) {
        listed.forEach(name -> ordered.remove(name.toLowerCase(Locale.ROOT)));
        expire(ordered, now);
        return new TreeMap<>(ordered);
    }

    /** Whether the machine is on its way out, though Azure's list may not say so yet. */
    boolean isLeaving(String id, Instant now) {
        expire(removed, now);
        return removed.containsKey(id);
    }

    /** Whether this is the first time that anybody asks: what a process before this one ordered may be in no list yet. */
    boolean isFirst() {
        boolean first = !begun;
        begun = true;
        return first;
    }

    /** Whether that very order was begun, and failed half-way: it is the one order that begins on a size that it was not decided on. */
    boolean isUnfinished(Growth growth) {
        return growth.equals(unfinished);
    }

    /** Nothing that was read holds any more: something was changed. */
    void outdated() {
        stateAt = null;
        partsAt = null;
        clearing = true;
    }

    /** The last reading, while it serves. */
    Optional<PoolState> recent(Instant now) {
        return Due.isDue(stateAt, moves() ? MOVING : QUIET, now) ? Optional.empty() : Optional.ofNullable(state);
    }

    void read(PoolState reading, Instant now) {
        state = reading;
        stateAt = now;
    }

    /** Of that machine, at the last reading, unless it was on its way out. */
    Optional<Machine.State> lastState(String machine) {
        return state == null
                ? Optional.empty()
                : state.machines().stream()
                        .filter(known -> known.id().equals(machine))
                        .filter(Machine::counts)
                        .map(Machine::state)
                        .findFirst();
    }

    /** Forgets what was said of other machines. */
    void keepViews(Collection<String> machines) {
        views.keySet().retainAll(machines);
    }

    boolean viewIsDue(String machine, Instant now) {
        var known = views.get(machine);
        return Due.isDue(known == null ? null : known.at(), VIEWED, now);
    }

    /** What Azure said of that machine. For any thread. */
    void viewed(String machine, List<InstanceViewStatus> statuses, Instant now) {
        views.put(machine, new View(statuses, now));
    }

    /** What Azure last said of that machine, also when it is to be asked again. */
    Optional<List<InstanceViewStatus>> view(String machine) {
        return Optional.ofNullable(views.get(machine)).map(View::statuses);
    }

    boolean partsAreDue(Instant now) {
        return Due.isDue(partsAt, clearing ? MOVING : PARTS_QUIET, now);
    }

    /**
     * @param leaving whether something is on its way out
     * @param loose interfaces made here that no machine has
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

    /** Interfaces that will not get a machine. */
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

    /** What was accepted is neither forgotten nor kept for longer because the clock was set back. */
    private static void expire(Map<String, Instant> accepted, Instant now) {
        accepted.replaceAll((name, at) -> at.isAfter(now) ? now : at);
        accepted.values().removeIf(at -> Due.isDue(at, LAG, now));
    }
}
