package dev.trainyard.cli.check;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a pod's own fields tell of its waiting. */
final class Waiting {

    private static final int NAMED = 3;

    private Waiting() {}

    static boolean hasNoNode(Pod pod) {
        var node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        return node == null || node.isEmpty();
    }

    /** Whether a scheduler has looked at it. What the API server itself says of a pod with scheduling gates is not a scheduler's word. */
    static boolean isJudged(Pod pod) {
        return condition(pod).filter(condition -> !isOfGates(condition)).isPresent();
    }

    /** Whether a scheduler has looked at it later than that. */
    static boolean isJudgedAfter(Instant time, Pod pod) {
        return condition(pod)
                .filter(condition -> !isOfGates(condition))
                .map(PodCondition::getLastTransitionTime)
                .filter(at -> Instant.parse(at).isAfter(time))
                .isPresent();
    }

    /** Whether it has scheduling gates: no scheduler looks at it before whoever put them there takes them away. */
    static boolean isGated(Pod pod) {
        return pod.getSpec() != null
                && pod.getSpec().getSchedulingGates() != null
                && !pod.getSpec().getSchedulingGates().isEmpty();
    }

    private static boolean isOfGates(PodCondition condition) {
        return "SchedulingGated".equals(condition.getReason());
    }

    /** The scheduler's last words on why it has no node; empty when it said none. */
    static String message(Pod pod) {
        return condition(pod)
                .filter(condition -> "False".equals(condition.getStatus()))
                .map(PodCondition::getMessage)
                .orElse("");
    }

    /** One whose age is not known is taken for old. */
    static boolean isOlderThan(Instant time, Pod pod) {
        var created = pod.getMetadata().getCreationTimestamp();
        try {
            return created == null || Instant.parse(created).isBefore(time);
        } catch (DateTimeParseException e) {
            return true;
        }
    }

    /** How many, and the names of some. */
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
