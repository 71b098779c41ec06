package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.GangMembers;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.plan.Outcome.Reason;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The check for gangs that cannot be planned now, because the gangs are incomplete or invalid. */
final class Gangs {

    private Gangs() {}

    /**
     * The age of a gang from which it no longer waits for missing pods, unless its author states its size. Within this time, an operator has
     * created all pods of a gang. If pods are missing later, they have ended and were deleted, or never come.
     */
    static final Duration CREATION = Duration.ofMinutes(5);

    /**
     * Returns, by pod uid, why a pod is left out of planning.
     *
     * @param plannable the pods that no other check has left out
     * @param gangs by gang: its members
     */
    static Map<String, Unplaced> unready(List<PendingPod> plannable, Map<String, GangMembers> gangs, Instant now) {
        var unready = new HashMap<String, Unplaced>();
        var pending = new HashMap<String, List<PendingPod>>();
        for (var pod : plannable) {
            pod.gang()
                    .filter(gang -> !gang.isUnread())
                    .ifPresent(gang -> gang.problem()
                            .ifPresentOrElse(
                                    problem -> unready.put(pod.uid(), because(problem)),
                                    () -> pending.computeIfAbsent(gang.key(), key -> new ArrayList<>())
                                            .add(pod)));
        }
        pending.forEach((key, members) -> obstacle(members, gangs.getOrDefault(key, GangMembers.NONE), now)
                .ifPresent(why -> members.forEach(member -> unready.put(member.uid(), because(why)))));
        return unready;
    }

    /** Returns why a gang cannot be planned now; empty if it can. */
    private static Optional<String> obstacle(List<PendingPod> pending, GangMembers all, Instant now) {
        var gang = pending.get(0).gang().orElseThrow();
        var sizes = new TreeSet<Integer>();
        pending.forEach(member -> member.gang().ifPresent(other -> sizes.add(other.size())));
        if (sizes.size() > 1) {
            return Optional.of("gang %s cannot be planned, because its pods state different sizes: %s"
                    .formatted(gang.name(), sizes.stream().map(String::valueOf).collect(Collectors.joining(" and "))));
        }
        int present = pending.size() + all.serving();
        boolean waits = gang.isStated() || Duration.between(all.oldest(), now).compareTo(CREATION) < 0;
        return present >= gang.size() || !waits
                ? Optional.empty()
                : Optional.of("its gang %s has %d of %d pods; machines are launched for all of them or for none"
                        .formatted(gang.name(), present, gang.size()));
    }

    static Unplaced because(String why) {
        return new Unplaced(Reason.GANG, why);
    }
}
