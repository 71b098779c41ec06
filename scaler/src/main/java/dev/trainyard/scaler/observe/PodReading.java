package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what a round needs to know of a pod. */
public final class PodReading {

    /** Marks by which a pod's owner forbids its interruption: ours, and those that other autoscalers made known. */
    private static final Map<String, String> BLOCKERS = Map.of(
            Names.DO_NOT_DISRUPT,
            "true",
            "cluster-autoscaler.kubernetes.io/safe-to-evict",
            "false",
            "karpenter.sh/do-not-disrupt",
            "true",
            "openai/do-not-drain",
            "true");

    private PodReading() {}

    /** Whether it ran to its end, well or not. */
    public static boolean ended(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    static @Nullable String nodeName(Pod pod) {
        var name = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        return name == null || name.isEmpty() ? null : name;
    }

    /** Whether the scheduler tried and failed: gated, terminating, ended and nominated pods do not count, nor those not looked at yet. */
    static boolean waits(Pod pod) {
        return pod.getSpec() != null
                && pod.getStatus() != null
                && nodeName(pod) == null
                && !ended(pod)
                && pod.getMetadata().getDeletionTimestamp() == null
                && orEmpty(pod.getSpec().getSchedulingGates()).isEmpty()
                && orEmpty(pod.getStatus().getNominatedNodeName()).isEmpty()
                && unschedulable(pod).isPresent();
    }

    /** The gang of which it is a member that needs no node any more: it has one and is not about to leave it, or has succeeded. */
    static Optional<String> servesGang(Pod pod) {
        boolean succeeded =
                pod.getStatus() != null && "Succeeded".equals(pod.getStatus().getPhase());
        boolean stays =
                nodeName(pod) != null && !ended(pod) && pod.getMetadata().getDeletionTimestamp() == null;
        return succeeded || stays ? GangMark.of(pod.getMetadata()).map(mark -> mark.gang()) : Optional.empty();
    }

    /** Whether the scheduler has not said anything of it yet. */
    static boolean unjudged(Pod pod) {
        return pod.getSpec() != null
                && pod.getStatus() != null
                && nodeName(pod) == null
                && !ended(pod)
                && pod.getMetadata().getDeletionTimestamp() == null
                && orEmpty(pod.getStatus().getConditions()).stream()
                        .noneMatch(condition -> "PodScheduled".equals(condition.getType()));
    }

    /** When it was created; long ago when that cannot be read. */
    static Instant created(Pod pod) {
        try {
            var text = pod.getMetadata().getCreationTimestamp();
            return text == null ? Instant.EPOCH : Instant.parse(text);
        } catch (DateTimeParseException e) {
            return Instant.EPOCH;
        }
    }

    private static Optional<PodCondition> unschedulable(Pod pod) {
        return orEmpty(pod.getStatus().getConditions()).stream()
                .filter(condition -> "PodScheduled".equals(condition.getType())
                        && "False".equals(condition.getStatus())
                        && "Unschedulable".equals(condition.getReason()))
                .findFirst();
    }

    /** @throws IllegalArgumentException when the pod is malformed; the message says how */
    static WaitingPod waiting(Pod pod) {
        var metadata = pod.getMetadata();
        var priority = pod.getSpec().getPriority();
        return new WaitingPod(
                orEmpty(metadata.getUid()),
                orEmpty(metadata.getNamespace()),
                metadata.getName(),
                PodReader.shapeOf(pod),
                priority == null ? 0 : priority,
                Instant.parse(metadata.getCreationTimestamp()),
                Names.SCHEDULER.equals(pod.getSpec().getSchedulerName()),
                unschedulable(pod)
                        .map(condition -> orEmpty(condition.getMessage()))
                        .orElse(""),
                GangMark.of(metadata));
    }

    /** Never fails: a pod that is malformed takes nothing, and must not be interrupted. */
    static PodOnNode onNode(Pod pod) {
        var metadata = pod.getMetadata();
        var blocker = blocker(pod);
        var requests = Resources.NONE;
        try {
            requests = PodReader.shapeOf(pod).requests();
        } catch (RuntimeException e) {
            blocker = Optional.of("it cannot be read: " + e.getMessage());
        }
        return new PodOnNode(
                orEmpty(metadata.getNamespace()),
                metadata.getName(),
                orEmpty(metadata.getUid()),
                requests,
                kind(pod),
                pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase()),
                metadata.getDeletionTimestamp() != null,
                blocker);
    }

    private static PodOnNode.Kind kind(Pod pod) {
        if (orEmpty(pod.getMetadata().getAnnotations()).containsKey("kubernetes.io/config.mirror")) {
            return PodOnNode.Kind.MIRROR;
        }
        boolean daemon = controller(pod)
                .filter(owner -> "DaemonSet".equals(owner.getKind()))
                .isPresent();
        return daemon ? PodOnNode.Kind.DAEMON : PodOnNode.Kind.TRAINING;
    }

    private static Optional<String> blocker(Pod pod) {
        var metadata = pod.getMetadata();
        var marks = Stream.concat(
                orEmpty(metadata.getAnnotations()).entrySet().stream(),
                orEmpty(metadata.getLabels()).entrySet().stream());
        var forbidden = marks.filter(
                        mark -> mark.getValue() != null && mark.getValue().equals(BLOCKERS.get(mark.getKey())))
                .map(mark -> "it is marked %s: \"%s\"".formatted(mark.getKey(), mark.getValue()))
                .sorted()
                .findFirst();
        if (forbidden.isPresent()) {
            return forbidden;
        }
        return controller(pod).isPresent()
                ? Optional.empty()
                : Optional.of("nothing would make it again: it has no controller");
    }

    private static Optional<OwnerReference> controller(Pod pod) {
        return orEmpty(pod.getMetadata().getOwnerReferences()).stream()
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .findFirst();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
