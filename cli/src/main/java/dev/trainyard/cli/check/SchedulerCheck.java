package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.core.Trap;
import dev.trainyard.extender.calls.LeaseName;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether a scheduler runs that pods of ours can wait for. */
final class SchedulerCheck implements Check {

    private static final String ABOUT = "scheduler";

    /** A leader renews every two seconds and loses its Lease after fifteen, unless configured otherwise; clocks differ. */
    private static final Duration LATELY = Duration.ofMinutes(1);

    private static final String TODO =
            "look whether a kube-scheduler runs with manifests/base/extender/scheduler-config.yaml,"
                    + " and at its log";

    @Override
    public List<Finding> look(Seen seen) {
        var findings = new ArrayList<Finding>();
        var scheduling = seen.scheduling();
        var pods = scheduling.pods().value().orElse(List.of());
        var name = seen.setting().schedulerLease();
        findings.addAll(scheduling.lease().findings(ABOUT, lease -> List.of(look(name, lease, pods, seen.at()))));
        findings.addAll(scheduling
                .pods()
                .findings("pods that no scheduler has looked at", found -> List.of(waiting(found, seen.at()))));
        return findings;
    }

    private static Finding look(LeaseName name, Optional<Lease> lease, List<Pod> pods, Instant now) {
        if (lease.isEmpty()
                || lease.get().getSpec() == null
                || lease.get().getSpec().getRenewTime() == null) {
            return pods.stream().anyMatch(Waiting::isJudged)
                    ? Finding.note(
                                    ABOUT,
                                    "there is no Lease %s although pods of %s were looked at, so that it runs without leader election"
                                            .formatted(name, Names.SCHEDULER))
                            .todo("that is well while there is one of it")
                    : Finding.error(ABOUT, "there is no Lease %s: no %s runs".formatted(name, Names.SCHEDULER))
                            .on("Lease " + name)
                            .todo(TODO)
                            .see(Trap.NO_SCHEDULER);
        }
        var spec = lease.get().getSpec();
        var age = Duration.between(spec.getRenewTime().toInstant(), now);
        return age.compareTo(LATELY) <= 0
                ? Finding.ok(ABOUT, "%s leads, as Lease %s says".formatted(spec.getHolderIdentity(), name))
                : Finding.error(
                                ABOUT,
                                "Lease %s was last renewed %d s ago, by %s: no %s runs"
                                        .formatted(name, age.toSeconds(), spec.getHolderIdentity(), Names.SCHEDULER))
                        .on("Lease " + name)
                        .field(
                                "spec.renewTime",
                                spec.getRenewTime().toInstant().toString(),
                                "less than %d s ago".formatted(LATELY.toSeconds()))
                        .todo(TODO)
                        .see(Trap.NO_SCHEDULER);
    }

    private static Finding waiting(List<Pod> pods, Instant now) {
        var about = "pods that no scheduler has looked at";
        var longAgo = now.minus(LATELY);
        var orphans = pods.stream()
                .filter(pod -> Waiting.hasNoNode(pod) && !Waiting.isJudged(pod) && Waiting.isOlderThan(longAgo, pod))
                .toList();
        return orphans.isEmpty()
                ? Finding.ok(about, "none has waited for more than a minute")
                : Finding.error(about, "%s waited for more than a minute".formatted(Waiting.named(orphans)))
                        .todo(TODO)
                        .see(Trap.NO_SCHEDULER);
    }
}
