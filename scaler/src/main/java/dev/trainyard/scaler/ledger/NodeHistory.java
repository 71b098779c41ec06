package dev.trainyard.scaler.ledger;

import dev.trainyard.core.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The history of the nodes that a pool has had. Immutable, and bounded in size.
 *
 * @param labels keys of the labels that nodes in service have had; empty if unknown
 * @param labelsSeen when these labels were last seen; {@link Instant#EPOCH} if never
 * @param exclusions pods that could not run on machines that joined for them. The same pods may have both a provisional exclusion and an
 *     earlier exclusion
 * @param joined identifiers of existing machines whose nodes have joined
 * @param lost the joined machines whose nodes are gone, with the time at which the scaler noticed the loss
 * @param broken machines that broke, by identifier; they may be gone
 * @param removing the joined machines that the scaler has decided to remove, so that their end is no reclaim
 * @param vanished other machines that had joined and that the cloud no longer lists, with the time at which the scaler noticed it
 */
public record NodeHistory(
        SortedSet<String> labels,
        Instant labelsSeen,
        List<Exclusion> exclusions,
        SortedSet<String> joined,
        SortedMap<String, Instant> lost,
        SortedMap<String, Breakdown> broken,
        SortedSet<String> removing,
        SortedMap<String, Instant> vanished) {

    public static final NodeHistory NONE = new NodeHistory(
            Collections.emptySortedSet(),
            Instant.EPOCH,
            List.of(),
            Collections.emptySortedSet(),
            Collections.emptySortedMap(),
            Collections.emptySortedMap(),
            Collections.emptySortedSet(),
            Collections.emptySortedMap());

    /**
     * How long a node must be gone before its machine is given up. Within this time, a node joins again if its kubelet restarts or if the
     * node is recreated.
     */
    public static final Duration GIVEN_UP_AFTER = Duration.ofMinutes(1);

    /** How long the cloud must not list a machine before the machine counts as reclaimed. The delay is needed since one list may be wrong. */
    private static final Duration RECLAIMED_AFTER = Duration.ofMinutes(1);

    /** The age at which recorded labels no longer predict the labels of the next node. */
    private static final Duration OUTDATED = Duration.ofHours(24);

    private static final int MOST_LABELS = 200;
    private static final int MOST_EXCLUSIONS = 100;

    /**
     * The maximum number of recorded machines of a pool. If a machine is not recorded and its node is gone, the node seems never to have
     * joined.
     */
    private static final int MOST_MACHINES = 500;

    /** The maximum number of recorded breakdowns. The oldest are forgotten first. */
    private static final int MOST_BREAKDOWNS = 100;

    /** The maximum number of machines that a message names. */
    private static final int NAMED = 10;

    /** Fewer machines that broke are not worth a report. */
    private static final int REPEATED = 3;

    /** Machines that broke are reported if they are at least this share of the pool's machines. GPU machines break now and then. */
    private static final double NOTABLE_SHARE = 0.05;

    public NodeHistory {
        labels = Collections.unmodifiableSortedSet(new TreeSet<>(labels));
        exclusions = List.copyOf(exclusions);
        joined = Collections.unmodifiableSortedSet(new TreeSet<>(joined));
        lost = Collections.unmodifiableSortedMap(new TreeMap<>(lost));
        broken = Collections.unmodifiableSortedMap(new TreeMap<>(broken));
        removing = Collections.unmodifiableSortedSet(new TreeSet<>(removing));
        vanished = Collections.unmodifiableSortedMap(new TreeMap<>(vanished));
    }

    /** Whether the labels of the pool's nodes are known, even if there is no node now. */
    public boolean knowsLabels(Instant now) {
        return !labels.isEmpty() && now.isBefore(labelsSeen.plus(OUTDATED));
    }

    /** Whether nodes may have the label. Only valid if {@link #knowsLabels} is true. */
    public boolean mayHave(String label) {
        return labels.size() >= MOST_LABELS || labels.contains(label);
    }

    /**
     * Adds the labels of nodes in service.
     *
     * @param at when the youngest of these nodes had all its labels; unlike the current time, this time changes only if nodes change
     */
    NodeHistory seen(Collection<String> more, Instant at) {
        if (labels.containsAll(more) && at.isBefore(labelsSeen.plus(OUTDATED))) {
            return this;
        }
        var all = new TreeSet<>(more);
        all.addAll(labels);
        while (all.size() > MOST_LABELS) {
            all.pollLast();
        }
        return new NodeHistory(
                all, at.isAfter(labelsSeen) ? at : labelsSeen, exclusions, joined, lost, broken, removing, vanished);
    }

    /** Whether the machine had a node, and the node is gone. */
    public boolean isLost(String machine) {
        return lost.containsKey(machine);
    }

    /** Whether the machine had a node, and the node has been gone for so long that the scaler terminates the machine. */
    public boolean isGivenUp(String machine, Instant now) {
        var since = lost.get(machine);
        return since != null && hasLasted(since, GIVEN_UP_AFTER, now);
    }

    /**
     * Records the machines that the cloud lists.
     *
     * @param withNode the listed machines that have a node
     * @param removed the listed machines that the scaler has decided to remove
     */
    NodeHistory machines(
            Collection<String> listed, Collection<String> withNode, Collection<String> removed, Instant now) {
        var all = new TreeSet<>(withNode);
        joined.stream().filter(listed::contains).forEach(all::add);
        while (all.size() > MOST_MACHINES) {
            all.pollLast();
        }
        var nodeless = new TreeMap<String, Instant>();
        var leaving = new TreeSet<String>();
        for (var machine : all) {
            boolean hasNode = withNode.contains(machine);
            if (!hasNode) {
                nodeless.put(machine, past(lost.get(machine), now));
            }
            if (removed.contains(machine) || (!hasNode && removing.contains(machine))) {
                leaving.add(machine);
            }
        }
        var gone = new TreeMap<String, Instant>();
        vanished.forEach((machine, since) -> {
            if (!listed.contains(machine) && !isReclaimed(since, now)) {
                gone.put(machine, past(since, now));
            }
        });
        joined.stream()
                .filter(machine -> !listed.contains(machine) && !removing.contains(machine))
                .forEach(machine -> gone.put(machine, now));
        return all.equals(joined) && nodeless.equals(lost) && leaving.equals(removing) && gone.equals(vanished)
                ? this
                : new NodeHistory(labels, labelsSeen, exclusions, all, nodeless, broken, leaving, gone);
    }

    /** Returns {@code since}; now if it is missing, or in the future because the clock was set back. */
    private static Instant past(@Nullable Instant since, Instant now) {
        return since == null || since.isAfter(now) ? now : since;
    }

    /** Returns how many machines the cloud has taken, as is certain now. {@link #machines} then forgets these machines. */
    int reclaims(Collection<String> listed, Instant now) {
        return (int) vanished.entrySet().stream()
                .filter(machine -> !listed.contains(machine.getKey()) && isReclaimed(machine.getValue(), now))
                .count();
    }

    private static boolean isReclaimed(Instant since, Instant now) {
        return hasLasted(since, RECLAIMED_AFTER, now);
    }

    /**
     * Whether {@code since} is at least {@code duration} ago. Subtracts from {@code now}, because adding to an extreme {@code since} could
     * overflow.
     */
    private static boolean hasLasted(Instant since, Duration duration, Instant now) {
        return !since.isAfter(now.minus(duration));
    }

    /**
     * Returns how many machines have joined since {@link #machines} last recorded them.
     *
     * @param withNode machines that have a node
     * @param fewer how many fewer machines the cloud owes than at the last reading. If the history is too full to record all machines, the
     *     result is at least this number
     */
    int arrived(Collection<String> withNode, int fewer) {
        int arrived = (int) withNode.stream()
                .filter(machine -> !joined.contains(machine))
                .filter(machine -> joined.size() < MOST_MACHINES || machine.compareTo(joined.last()) < 0)
                .count();
        return joined.size() < MOST_MACHINES ? arrived : Math.max(arrived, fewer);
    }

    /** Returns the active exclusion of the pods with this digest; empty if there is none. */
    public Optional<Exclusion> exclusion(String pods, Instant now) {
        return exclusions.stream()
                .filter(exclusion -> exclusion.pods().equals(pods) && exclusion.active(now))
                .max(Comparator.comparingInt(Exclusion::failures));
    }

    /**
     * Adds an exclusion, which replaces the earlier exclusions of these pods. A provisional exclusion replaces only provisional exclusions,
     * so that the number of failures is kept.
     */
    NodeHistory with(Exclusion exclusion, Instant now) {
        var changed = new ArrayList<Exclusion>();
        changed.add(exclusion);
        exclusions.stream()
                .filter(other -> !other.isForgotten(now) && !exclusion.replaces(other))
                .sorted(Comparator.comparing(Exclusion::until).reversed())
                .limit(MOST_EXCLUSIONS - 1L)
                .forEach(changed::add);
        return new NodeHistory(labels, labelsSeen, changed, joined, lost, broken, removing, vanished);
    }

    /** Returns how many machines joined for the pods with this digest and could not run them, as far as recorded. */
    int failures(String pods, Instant now) {
        return exclusions.stream()
                .filter(exclusion -> exclusion.pods().equals(pods) && !exclusion.isForgotten(now))
                .mapToInt(Exclusion::failures)
                .max()
                .orElse(0);
    }

    NodeHistory without(Collection<String> pods) {
        return new NodeHistory(
                labels,
                labelsSeen,
                exclusions.stream()
                        .filter(exclusion -> !pods.contains(exclusion.pods()))
                        .toList(),
                joined,
                lost,
                broken,
                removing,
                vanished);
    }

    /**
     * Records the machines that are sick now. A machine that is recorded already broke once more if its sickness began later. A new
     * breakdown replaces those that no longer count, unless the machine is still sick. Without a new one nothing changes, so that time alone
     * leads to no write.
     */
    NodeHistory sick(Map<String, Breakdown> sick, Instant now) {
        var all = new TreeMap<>(broken);
        sick.forEach((machine, breakdown) ->
                all.merge(machine, breakdown, (known, later) -> later.at().isAfter(known.at()) ? later : known));
        if (all.equals(broken)) {
            return this;
        }
        all.entrySet()
                .removeIf(known ->
                        !sick.containsKey(known.getKey()) && !known.getValue().isRecent(now));
        var changed = new TreeMap<String, Breakdown>();
        all.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, Breakdown> known) ->
                                known.getValue().at())
                        .reversed()
                        .thenComparing(Map.Entry::getKey))
                .limit(MOST_BREAKDOWNS)
                .forEach(known -> changed.put(known.getKey(), known.getValue()));
        return changed.equals(broken)
                ? this
                : new NodeHistory(labels, labelsSeen, exclusions, joined, lost, changed, removing, vanished);
    }

    /** Returns how many machines broke, or broke once more, since {@code before}. */
    public int breakdownsSince(NodeHistory before) {
        return (int) broken.entrySet().stream()
                .filter(entry -> {
                    var known = before.broken.get(entry.getKey());
                    return known == null || entry.getValue().at().isAfter(known.at());
                })
                .count();
    }

    /** Returns the machines that broke in the last {@link Breakdown#COUNTS}, by size and zone. */
    public Map<List<String>, List<String>> recentBreakdowns(Instant now) {
        var machines = new TreeMap<List<String>, List<String>>(Comparator.comparing(Object::toString));
        broken.forEach((machine, breakdown) -> {
            if (breakdown.isRecent(now)) {
                machines.computeIfAbsent(List.of(breakdown.size(), breakdown.zone()), any -> new ArrayList<>())
                        .add(machine);
            }
        });
        return machines;
    }

    /**
     * Returns messages about sizes and zones whose machines break again and again. A zone is
     * named only if the breakdowns are not spread over the zones: more than half of them are in this zone.
     *
     * @param machines the number of the pool's machines
     */
    public List<String> repeatedBreakdowns(int machines, Instant now) {
        var bySize = new TreeMap<String, Map<String, List<String>>>();
        recentBreakdowns(now)
                .forEach((place, ids) -> bySize.computeIfAbsent(place.get(0), any -> new TreeMap<>())
                        .put(place.get(1), ids));
        var messages = new ArrayList<String>();
        bySize.forEach((size, zones) -> {
            var all = zones.values().stream().flatMap(List::stream).sorted().toList();
            if (all.size() >= REPEATED && all.size() >= machines * NOTABLE_SHARE) {
                var zone = zones.entrySet().stream()
                        .filter(in -> !in.getKey().isEmpty() && in.getValue().size() * 2 > all.size())
                        .map(in -> ", %d of them in zone %s"
                                .formatted(in.getValue().size(), in.getKey()))
                        .findFirst()
                        .orElse("");
                messages.add("%d machines%s broke within %s%s: %s"
                        .formatted(
                                all.size(),
                                size.isEmpty() ? "" : " of size " + size,
                                Durations.format(Breakdown.COUNTS),
                                zone,
                                String.join(", ", all.subList(0, Math.min(all.size(), NAMED)))
                                        + (all.size() > NAMED ? ", ..." : "")));
            }
        });
        return messages;
    }
}
