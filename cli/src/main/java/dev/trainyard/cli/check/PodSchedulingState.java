package dev.trainyard.cli.check;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Functions that read the scheduling state of a pod from its fields. */
final class PodSchedulingState {

    private static final int NAMED = 3;

    private PodSchedulingState() {}

    static boolean hasNoNode(Pod pod) {
        var node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        return node == null || node.isEmpty();
    }

    /** Whether a scheduler has looked at the pod. Ignores the condition that the API server itself sets on a pod with scheduling gates. */
    static boolean isJudged(Pod pod) {
        return condition(pod).filter(condition -> !isOfGates(condition)).isPresent();
    }

    /** Whether a scheduler has looked at the pod after {@code time}. */
    static boolean isJudgedAfter(Instant time, Pod pod) {
        return condition(pod)
                .filter(condition -> !isOfGates(condition))
                .map(PodCondition::getLastTransitionTime)
                .filter(at -> Instant.parse(at).isAfter(time))
                .isPresent();
    }

    /** Whether the pod has scheduling gates. A scheduler looks at the pod only after the owner of the gates has removed them. */
    static boolean isGated(Pod pod) {
        return pod.getSpec() != null
                && pod.getSpec().getSchedulingGates() != null
                && !pod.getSpec().getSchedulingGates().isEmpty();
    }

    private static boolean isOfGates(PodCondition condition) {
        return "SchedulingGated".equals(condition.getReason());
    }

    /** Returns the scheduler's last reason why the pod has no node; empty if there is none. */
    static String message(Pod pod) {
        return condition(pod)
                .filter(condition -> "False".equals(condition.getStatus()))
                .map(PodCondition::getMessage)
                .orElse("");
    }

    /** Whether the pod was created before {@code time}; true if its age is unknown. */
    static boolean isOlderThan(Instant time, Pod pod) {
        var created = pod.getMetadata().getCreationTimestamp();
        try {
            return created == null || Instant.parse(created).isBefore(time);
        } catch (DateTimeParseException e) {
            return true;
        }
    }

    /** Returns the number of pods, and the names of some. */
    static String named(List<Pod> pods) {
        return pods.stream()
                .limit(NAMED)
                .map(pod -> pod.getMetadata().getNamespace() + "/"
                        + pod.getMetadata().getName())
                .collect(Collectors.joining(", ", pods.size() + " (", pods.size() > NAMED ? ", ...)" : ")"));
    }

    private static Optional<PodCondition> condition(Pod pod) {
        return Stream.ofNullable(pod.getStatus())
                .flatMap(status -> Stream.ofNullable(status.getConditions()))
                .flatMap(List::stream)
                .filter(condition -> "PodScheduled".equals(condition.getType()))
                .findFirst();
    }
}
