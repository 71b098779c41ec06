package dev.trainyard.simulation.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Lifecycle;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Functions that read and change pods. A change returns a new pod, which shares all unchanged parts with the old pod. Times are in
 * Kubernetes' format.
 */
public final class Pods {

    private static final String SCHEDULED = "PodScheduled";
    private static final String DISRUPTED = "DisruptionTarget";
    private static final long USUAL_GRACE_SECONDS = 30;

    private Pods() {}

    /** Whether the pod has ended, successfully or not. */
    public static boolean ended(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    static boolean leaves(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() != null;
    }

    /** Returns the pod's grace period. */
    static Duration grace(Pod pod) {
        return Duration.ofSeconds(
                Objects.requireNonNullElse(pod.getSpec().getTerminationGracePeriodSeconds(), USUAL_GRACE_SECONDS));
    }

    /** Returns the longest time that a {@code preStop} hook of the pod's containers sleeps. */
    static Duration preStop(Pod pod) {
        return pod.getSpec().getContainers().stream()
                .map(Container::getLifecycle)
                .filter(Objects::nonNull)
                .map(Lifecycle::getPreStop)
                .filter(hook -> hook != null && hook.getSleep() != null)
                .map(hook -> Duration.ofSeconds(hook.getSleep().getSeconds()))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    static boolean isGated(Pod pod) {
        var gates = pod.getSpec().getSchedulingGates();
        return gates != null && !gates.isEmpty();
    }

    /** Returns the name of the pod's node; empty if it has none. */
    static Optional<String> node(Pod pod) {
        return Optional.ofNullable(pod.getSpec().getNodeName()).filter(name -> !name.isEmpty());
    }

    static Pod bound(Pod pod, String node, String now) {
        var spec = new PodSpecBuilder(pod.getSpec()).withNodeName(node).build();
        return with(
                pod,
                spec,
                new PodStatusBuilder(statusOf(pod))
                        .withConditions(conditions(pod, SCHEDULED, "True", null, null, now))
                        .build());
    }

    static Pod unschedulable(Pod pod, String message, String now) {
        return with(
                pod,
                new PodStatusBuilder(statusOf(pod))
                        .withPhase("Pending")
                        .withNominatedNodeName(null)
                        .withConditions(conditions(pod, SCHEDULED, "False", "Unschedulable", message, now))
                        .build());
    }

    static Pod nominated(Pod pod, @Nullable String node) {
        return with(
                pod,
                new PodStatusBuilder(statusOf(pod)).withNominatedNodeName(node).build());
    }

    static Pod ungated(Pod pod) {
        return with(
                pod,
                new PodSpecBuilder(pod.getSpec()).withSchedulingGates(List.of()).build(),
                statusOf(pod));
    }

    static Pod running(Pod pod, String now) {
        var containers = pod.getSpec().getContainers().stream()
                .map(container -> status(container.getName())
                        .withReady(true)
                        .withNewState()
                        .withNewRunning(now)
                        .endState()
                        .build())
                .toList();
        return with(
                pod,
                new PodStatusBuilder(statusOf(pod))
                        .withPhase("Running")
                        .withStartTime(now)
                        .withContainerStatuses(containers)
                        .withConditions(conditions(pod, "Ready", "True", null, null, now))
                        .build());
    }

    /** @param phase Succeeded or Failed */
    static Pod ended(Pod pod, String phase, @Nullable String reason, String now) {
        var containers = new ArrayList<ContainerStatus>();
        for (var container : pod.getSpec().getContainers()) {
            containers.add(status(container.getName())
                    .withReady(false)
                    .withNewState()
                    .withNewTerminated()
                    .withExitCode(phase.equals("Succeeded") ? 0 : 1)
                    .withStartedAt(
                            Optional.ofNullable(statusOf(pod).getStartTime()).orElse(now))
                    .withFinishedAt(now)
                    .endTerminated()
                    .endState()
                    .build());
        }
        return with(
                pod,
                new PodStatusBuilder(statusOf(pod))
                        .withPhase(phase)
                        .withReason(reason)
                        .withContainerStatuses(containers)
                        .build());
    }

    /** Returns a copy of the pod with the condition that the Eviction API and the pod garbage collector set. */
    static Pod disrupted(Pod pod, String reason, String now) {
        return with(
                pod,
                new PodStatusBuilder(statusOf(pod))
                        .withConditions(conditions(pod, DISRUPTED, "True", reason, null, now))
                        .build());
    }

    /** Whether the pod was evicted, or was lost with its node. */
    static boolean isDisrupted(Pod pod) {
        return Optional.ofNullable(statusOf(pod).getConditions()).orElse(List.of()).stream()
                .anyMatch(condition -> DISRUPTED.equals(condition.getType()) && "True".equals(condition.getStatus()));
    }

    /** Returns a terminating copy of the pod, which must end within the grace period. */
    static Pod leaving(Pod pod, Instant now, Duration grace) {
        var metadata = new ObjectMetaBuilder(pod.getMetadata())
                .withDeletionTimestamp(now.plus(grace).toString())
                .withDeletionGracePeriodSeconds(grace.toSeconds())
                .build();
        return new Pod(pod.getApiVersion(), pod.getKind(), metadata, pod.getSpec(), pod.getStatus());
    }

    private static ContainerStatusBuilder status(String container) {
        return new ContainerStatusBuilder().withName(container).withRestartCount(0);
    }

    private static PodStatus statusOf(Pod pod) {
        return pod.getStatus() == null ? new PodStatus() : pod.getStatus();
    }

    private static List<PodCondition> conditions(
            Pod pod, String type, String status, @Nullable String reason, @Nullable String message, String now) {
        var conditions = new ArrayList<PodCondition>();
        String since = now;
        for (var condition : Optional.ofNullable(statusOf(pod).getConditions()).orElse(List.of())) {
            if (!condition.getType().equals(type)) {
                conditions.add(condition);
            } else if (status.equals(condition.getStatus())) {
                since = condition.getLastTransitionTime();
            }
        }
        conditions.add(new PodConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .withLastTransitionTime(since)
                .build());
        return conditions;
    }

    private static Pod with(Pod pod, PodStatus status) {
        return with(pod, pod.getSpec(), status);
    }

    private static Pod with(Pod pod, PodSpec spec, PodStatus status) {
        var metadata = new ObjectMetaBuilder(pod.getMetadata()).build();
        return new Pod(pod.getApiVersion(), pod.getKind(), metadata, spec, status);
    }
}
