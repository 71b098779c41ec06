package dev.trainyard.scaler.loop;

import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.GateRemoval;
import dev.trainyard.scaler.plan.GateRemoval.Member;
import dev.trainyard.scaler.report.RoundReporter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The stage of a round that removes scheduling gates. Room is reserved for all members of a gang before the first gate is removed. If the
 * scaler stops between two removals, the next round finds a gang that has started, and removes its other gates. First, nominations of
 * gangs that do not start now are removed, because the scheduler keeps that room free from all other pods.
 */
final class GateRemover {

    private final Cluster cluster;
    private final RoundReporter reporter;
    private final IsolatedSteps steps;

    GateRemover(Cluster cluster, RoundReporter reporter, IsolatedSteps steps) {
        this.cluster = cluster;
        this.reporter = reporter;
        this.steps = steps;
    }

    void carryOut(Snapshot snapshot, List<GateRemoval> removals) {
        giveBack(snapshot, removals);
        for (var removal : removals) {
            if (removal.gang().isEmpty()) {
                // The pod may be placed in any case. Reserved room only makes it more likely to get its planned node.
                removal.members().forEach(this::reserve);
                removal.members().forEach(this::removeGate);
            } else if (isReserved(removal)) {
                boolean started =
                        removal.members().stream().map(this::removeGate).reduce(false, Boolean::logicalOr);
                if (started) {
                    reporter.started(removal);
                }
            } else {
                reporter.notStarted(removal); // the next round uses the reserved room, or gives it back
            }
        }
    }

    private void giveBack(Snapshot snapshot, List<GateRemoval> removals) {
        var start = removals.stream()
                .flatMap(removal -> removal.members().stream())
                .map(member -> member.pod().uid())
                .collect(Collectors.toSet());
        snapshot.waiting().stream()
                .filter(pod -> pod.nominated().isPresent() && !start.contains(pod.uid()))
                .forEach(pod -> nominate(pod, Optional.empty()));
    }

    /** Reserves the room for all members. Returns false if that failed; then no gate may be removed. */
    private boolean isReserved(GateRemoval removal) {
        return removal.members().stream().allMatch(this::reserve);
    }

    private boolean reserve(Member member) {
        return member.node().isEmpty() || nominate(member.pod(), member.node());
    }

    private boolean nominate(PendingPod pod, Optional<String> node) {
        return pod.nominated().equals(node)
                || steps.attempt(
                        "reserving room for pod %s on %s"
                                .formatted(pod, node.map(name -> "node " + name).orElse("no node")),
                        () -> cluster.nominate(pod, node));
    }

    private boolean removeGate(Member member) {
        return steps.attempt(
                "removing the scheduling gate of pod " + member.pod(), () -> cluster.removeGate(member.pod()));
    }
}
