package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.GangView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.Snapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The removal of Trainyard's scheduling gates from pods: from all pods of a gang that has room for all of them, or from one pod that no
 * longer needs its gate.
 *
 * @param gang the name of the gang that starts, in messages; empty if the pod is not held
 * @param members the pods, all of them or none
 */
public record GateRemoval(Optional<String> gang, List<Member> members) {

    /**
     * A pod with a gate.
     *
     * @param node the node that is reserved for the pod; empty if no node has room
     */
    public record Member(PendingPod pod, Optional<String> node) {}

    public GateRemoval {
        members = List.copyOf(members);
    }

    /**
     * Returns the gates to remove now. Gates that are no longer needed come first, because their gangs may have started already.
     *
     * @param outcomes one for each pending pod, by its UID
     */
    public static List<GateRemoval> of(Snapshot snapshot, Map<String, Outcome> outcomes) {
        var gated = snapshot.waiting().stream().filter(PendingPod::gated).toList();
        if (gated.isEmpty()) {
            return List.of();
        }
        var takers = snapshot.takers();
        var removals = new ArrayList<GateRemoval>();
        var gangs = new LinkedHashMap<String, List<Member>>();
        for (var pod : gated) {
            var outcome = Optional.ofNullable(outcomes.get(pod.uid()));
            var member = new Member(pod, outcome.flatMap(GateRemoval::node).filter(takers::contains));
            if (!pod.isHeld() || outcome.filter(GateRemoval::usesOnlyFreeRoom).isPresent()) {
                removals.add(new GateRemoval(Optional.empty(), List.of(member)));
            } else if (outcome.filter(GateRemoval::isBlocked).isEmpty()) {
                // An invalid gang never starts, and the members of an unread one are unknown.
                pod.gang()
                        .filter(GangView::isKnown)
                        .ifPresent(gang -> gangs.computeIfAbsent(gang.key(), key -> new ArrayList<>())
                                .add(member));
            }
        }
        // The replacements of leaving pods do not exist yet.
        snapshot.leaving().forEach(pod -> pod.gang().ifPresent(gang -> gangs.remove(gang.key())));
        gangs.values().stream()
                .filter(members ->
                        members.stream().allMatch(member -> member.node().isPresent()))
                .forEach(members ->
                        removals.add(new GateRemoval(members.get(0).pod().gang().map(gang -> gang.name()), members)));
        return removals;
    }

    /** Whether the scaler plans nothing for the pod because of its priority, so that a gate would hold it without end. */
    private static boolean usesOnlyFreeRoom(Outcome outcome) {
        return outcome instanceof Outcome.Unplaced unplaced && unplaced.reason() == Outcome.Reason.BELOW_CUTOFF;
    }

    /** Whether more than room is missing for the pod. Such a pod does not count for the size of its gang. */
    private static boolean isBlocked(Outcome outcome) {
        return outcome instanceof Outcome.Unplaced unplaced && unplaced.reason() == Outcome.Reason.BLOCKED;
    }

    private static Optional<String> node(Outcome found) {
        if (found instanceof Outcome.Held held) {
            return Optional.of(held.node());
        }
        return found instanceof Outcome.OnNode onNode ? Optional.of(onNode.node()) : Optional.empty();
    }
}
