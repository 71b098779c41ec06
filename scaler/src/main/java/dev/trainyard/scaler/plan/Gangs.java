package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.GangMembers;
import dev.trainyard.scaler.observe.GangView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PoolView;
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
     * The age of a gang from which it no longer waits for missing pods, unless its author states its size, or it may only start whole.
     * Within this time, an operator has created all pods of a gang. If pods are missing later, they have ended and were deleted, or never
     * come.
     */
    static final Duration CREATION = Duration.ofMinutes(5);

    /** The least time for which an idle node is kept for a gang that starts whole. A machine needs about as long to be provisioned. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    /** The longest time for which an idle node is kept for a gang that starts whole. */
    private static final Duration MOST_KEPT = Duration.ofHours(4);

    /**
     * Returns the time until which an idle node is kept for a waiting gang: for half of the time that the gang had waited when the node
     * became idle, at least for {@link #KEPT} and at most for {@link #MOST_KEPT}. The longer a gang waits, the more nodes are kept for it at
     * the same time, so that smaller gangs cannot use each free node.
     *
     * @param complete when the youngest pod of the gang was created
     */
    static Instant keptUntil(Instant idleSince, Instant complete) {
        var half = Duration.between(complete, idleSince).dividedBy(2);
        var kept = half.compareTo(KEPT) < 0 ? KEPT : half.compareTo(MOST_KEPT) > 0 ? MOST_KEPT : half;
        return PoolView.after(idleSince, kept);
    }

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
            if (pod.isHeld() && pod.gang().filter(GangView::isUnread).isPresent()) {
                unready.put(pod.uid(), unread(pod.gang().get())); // the pod cannot use a free node
                continue;
            }
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
        boolean waits = gang.isStated()
                || pending.get(0).isHeld()
                || Duration.between(all.oldest(), now).compareTo(CREATION) < 0;
        return present >= gang.size() || !waits
                ? Optional.empty()
                : Optional.of("its gang %s has %d of %d pods; machines are launched for all of them or for none"
                        .formatted(gang.name(), present, gang.size()));
    }

    /** Returns why no machines are requested for a gang that has not been read. Its object is usually read within a second. */
    static Unplaced unread(GangView gang) {
        return gang.problem()
                .map(Gangs::because)
                .orElseGet(() -> new Unplaced(
                        Reason.ASKING, "%s has not been read yet; the scaler reads it soon".formatted(gang.name())));
    }

    private static Unplaced because(String why) {
        return new Unplaced(Reason.GANG, why);
    }
}
