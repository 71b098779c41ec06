package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.ClusterStatus.WaitingLine;
import dev.trainyard.scaler.plan.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A check for pending pods without a provisioning machine, by reason, and for pools whose machines do not help pending pods. */
final class PendingPodsCheck implements Check {

    private static final String ABOUT = "pending pods";

    /** The shortest time after which a pending pod or an idle machine is reported. Shorter times are usual. */
    private static final int OLD_SECONDS = 60;

    private static final int NAMED = 3;

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.scheduling().standing().findings(ABOUT, PendingPodsCheck::look);
    }

    private static List<Finding> look(ClusterStatus standing) {
        var byReason = new LinkedHashMap<String, List<WaitingLine>>();
        standing.waiting().stream()
                .filter(pod -> !pod.isProvidedFor() && pod.waitingSeconds() >= OLD_SECONDS)
                .forEach(pod -> byReason.computeIfAbsent(pod.reason(), reason -> new ArrayList<>())
                        .add(pod));
        var findings = new ArrayList<>(
                byReason.entrySet().stream().map(PendingPodsCheck::finding).toList());
        if (findings.isEmpty()) {
            findings.add(
                    Finding.ok(ABOUT, "no pod has been pending for a minute without a node or an upcoming machine"));
        }
        long waiting = standing.waiting().stream()
                .filter(pod -> pod.waitingSeconds() >= OLD_SECONDS)
                .count();
        if (waiting > 0) {
            standing.pools().forEach(pool -> inVain(pool, standing.machines()).ifPresent(findings::add));
        }
        return findings;
    }

    /**
     * Returns a warning if a pool grows although at least two of its machines, and more than its minimum, are idle. A single idle machine
     * may just be in a zone that the pods cannot use.
     */
    private static Optional<Finding> inVain(PoolLine pool, List<MachineLine> machines) {
        var idle = machines.stream()
                .filter(machine -> machine.pool().equals(pool.name()))
                .filter(machine -> machine.idleSeconds() != null && machine.idleSeconds() >= OLD_SECONDS)
                .map(MachineLine::node)
                .toList();
        int upcoming = Optional.ofNullable(pool.upcoming()).orElse(0);
        return idle.size() < 2 || idle.size() <= pool.min() || upcoming == 0
                ? Optional.empty()
                : Optional.of(Finding.warning(
                                ABOUT,
                                "pool %s grows (%d upcoming), although %d of its machines have been idle for a minute (%s)"
                                        .formatted(pool.name(), upcoming, idle.size(), Finding.first(NAMED, idle)))
                        .on("TrainingPool " + pool.name())
                        .todo(
                                "run 'kubectl describe pod' for a pending pod to see why the scheduler rejects the idle machines")
                        .see(TroubleshootingTopic.PROMISE_NOT_KEPT));
    }

    private static Finding finding(Map.Entry<String, List<WaitingLine>> group) {
        var pods = group.getValue();
        var names = Finding.first(NAMED, pods.stream().map(WaitingLine::pod).toList());
        var finding = Finding.warning(
                        ABOUT,
                        "%d (%s) pending, without a node or an upcoming machine: %s"
                                .formatted(pods.size(), names, group.getKey()))
                .todo("see the Events of each pod with 'kubectl describe pod'");
        return Stream.of(Outcome.Reason.values())
                .filter(reason -> reason.toString().equals(pods.get(0).outcome()))
                .findFirst()
                .flatMap(Outcome.Reason::trap)
                .map(finding::see)
                .orElse(finding);
    }
}
