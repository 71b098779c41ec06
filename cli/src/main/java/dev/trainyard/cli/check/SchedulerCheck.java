package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.extender.calls.LeaseName;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A check that a scheduler for training pods runs. */
final class SchedulerCheck implements Check {

    private static final String ABOUT = "scheduler";
    private static final String WAITING = "pods that no scheduler has looked at";
    private static final int NAMED = 3;

    /**
     * The largest age of a current Lease. By default, a leader renews its Lease every 2 s and loses it after 15 s. The rest of the minute
     * allows for clocks that differ.
     */
    private static final Duration LATELY = Duration.ofMinutes(1);

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        var findings = new ArrayList<Finding>();
        var scheduling = seen.scheduling();
        findings.addAll(scheduling.lease().findings(ABOUT, lease -> List.of(look(lease, seen))));
        findings.addAll(scheduling
                .pods()
                .findings(WAITING, found -> List.of(waiting(orphans(found, seen.at()), seen))));
        return findings;
    }

    private static Finding look(Optional<Lease> lease, ClusterSnapshot seen) {
        var spec = lease.map(Lease::getSpec);
        var renewed = spec.map(LeaseSpec::getRenewTime).map(time -> time.toInstant());
        var holder = spec.map(LeaseSpec::getHolderIdentity).orElse("");
        var name = seen.setting().schedulerLease();
        if (renewed.isEmpty()) {
            return withoutLease(name, seen);
        }
        var age = Duration.between(renewed.get(), seen.at());
        boolean late = age.compareTo(LATELY) > 0;
        if (!late && !holder.isEmpty()) {
            return Finding.ok(ABOUT, "%s leads, according to Lease %s".formatted(holder, name));
        }
        if (pods(seen).stream().anyMatch(pod -> isJudgedAfter(renewed.get().plus(LATELY), pod))) {
            return withoutElection("Lease %s is left over".formatted(name));
        }
        var what = holder.isEmpty()
                ? "Lease %s was released %d s ago by a holder that ended normally, and no replica has acquired it since"
                        .formatted(name, age.toSeconds())
                : "Lease %s was last renewed %d s ago, by %s".formatted(name, age.toSeconds(), holder);
        return late
                ? Finding.error(ABOUT, "%s: no %s runs".formatted(what, Names.SCHEDULER))
                        .on("Lease " + name)
                        .field(
                                holder.isEmpty() ? "spec.holderIdentity" : "spec.renewTime",
                                holder.isEmpty() ? "" : renewed.get().toString(),
                                holder.isEmpty()
                                        ? "the scheduler that leads"
                                        : "less than %d s ago".formatted(LATELY.toSeconds()))
                        .todo(todo(seen))
                        .see(TroubleshootingTopic.NO_SCHEDULER)
                : Finding.warning(ABOUT, what)
                        .on("Lease " + name)
                        .field("spec.holderIdentity", "", "the scheduler that leads")
                        .todo("check again in a minute: another replica, if any, acquires the Lease within seconds")
                        .see(TroubleshootingTopic.NO_SCHEDULER);
    }

    private static Finding withoutLease(LeaseName name, ClusterSnapshot seen) {
        var none = "there is no Lease " + name;
        if (pods(seen).stream().anyMatch(SchedulerCheck::isJudged)) {
            return withoutElection(none);
        }
        if (ExtenderCheck.runs(seen)
                && !isToRunHere(seen)
                && orphans(pods(seen), seen.at()).isEmpty()) {
            return Finding.warning(
                            ABOUT,
                            "%s, and no pod of %s shows whether a scheduler runs; a scheduler without leader election has no Lease"
                                    .formatted(none, Names.SCHEDULER))
                    .on("Lease " + name)
                    .todo("check again while a pod that names the scheduler is pending, or enable leader election")
                    .see(TroubleshootingTopic.NO_SCHEDULER);
        }
        return Finding.error(ABOUT, "%s: no %s runs".formatted(none, Names.SCHEDULER))
                .on("Lease " + name)
                .todo(todo(seen))
                .see(TroubleshootingTopic.NO_SCHEDULER);
    }

    private static String todo(ClusterSnapshot seen) {
        return "check that a kube-scheduler runs with manifests/%s, and see its log"
                .formatted(SchedulerFileCheck.shipped(seen.usesExtender()));
    }

    private static Finding withoutElection(String lease) {
        return Finding.note(
                        ABOUT,
                        "%s, although pods of %s were processed: the scheduler runs without leader election"
                                .formatted(lease, Names.SCHEDULER))
                .todo("no action is needed while there is only one replica");
    }

    /** Whether the scheduler of the manifests is installed. This scheduler uses leader election. */
    private static boolean isToRunHere(ClusterSnapshot seen) {
        return seen.installation().deployments().value().orElse(List.of()).stream()
                .anyMatch(deployment -> deployment.getMetadata().getName().equals(Names.SCHEDULER)
                        && ComponentDeployments.wanted(deployment) > 0);
    }

    private static List<Pod> pods(ClusterSnapshot seen) {
        return seen.scheduling().pods().value().orElse(List.of());
    }

    private static List<Pod> orphans(List<Pod> pods, Instant now) {
        var longAgo = now.minus(LATELY);
        return pods.stream()
                .filter(pod -> hasNoNode(pod) && !isGated(pod) && !isJudged(pod) && isOlderThan(longAgo, pod))
                .toList();
    }

    private static Finding waiting(List<Pod> orphans, ClusterSnapshot seen) {
        return orphans.isEmpty()
                ? Finding.ok(WAITING, "none has waited for more than a minute")
                : Finding.error(WAITING, "%s waited for more than a minute".formatted(named(orphans)))
                        .todo(todo(seen))
                        .see(TroubleshootingTopic.NO_SCHEDULER);
    }

    private static boolean hasNoNode(Pod pod) {
        var node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        return node == null || node.isEmpty();
    }

    /** Whether a scheduler has looked at the pod. */
    private static boolean isJudged(Pod pod) {
        return judgement(pod).isPresent();
    }

    /** Whether a scheduler has looked at the pod after {@code time}. */
    private static boolean isJudgedAfter(Instant time, Pod pod) {
        return judgement(pod)
                .map(PodCondition::getLastTransitionTime)
                .filter(at -> Instant.parse(at).isAfter(time))
                .isPresent();
    }

    /** Whether the pod has scheduling gates. A scheduler looks at the pod only after the owner of the gates has removed them. */
    private static boolean isGated(Pod pod) {
        return pod.getSpec() != null
                && pod.getSpec().getSchedulingGates() != null
                && !pod.getSpec().getSchedulingGates().isEmpty();
    }

    /** Whether the pod was created before {@code time}; true if its age is unknown. */
    private static boolean isOlderThan(Instant time, Pod pod) {
        var created = pod.getMetadata().getCreationTimestamp();
        try {
            return created == null || Instant.parse(created).isBefore(time);
        } catch (DateTimeParseException e) {
            return true;
        }
    }

    /** Returns the number of pods, and the names of some. */
    private static String named(List<Pod> pods) {
        var names = pods.stream()
                .map(pod -> pod.getMetadata().getNamespace() + "/"
                        + pod.getMetadata().getName())
                .toList();
        return "%d (%s)".formatted(names.size(), Finding.first(NAMED, names));
    }

    /** Returns the condition that a scheduler set. Ignores the condition that the API server sets on a pod with scheduling gates. */
    private static Optional<PodCondition> judgement(Pod pod) {
        return Stream.ofNullable(pod.getStatus())
                .flatMap(status -> Stream.ofNullable(status.getConditions()))
                .flatMap(List::stream)
                .filter(condition ->
                        "PodScheduled".equals(condition.getType()) && !"SchedulingGated".equals(condition.getReason()))
                .findFirst();
    }
}
