package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.gang.GangClaim;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.RelationsReader;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A reader of the facts about a pod that a round needs. */
public final class PodReading {

    // RFC 3339, the format of Kubernetes, has years of four digits. Sums with times near the limits of Instant would
    // overflow.
    private static final Instant EARLIEST = Instant.parse("0000-01-01T00:00:00Z");

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    /**
     * The reasons of the condition {@code PodScheduled} that make a pod without a node a pending pod. Volcano sets the last two if only
     * some members of a gang fit. Members that would fit get Schedulable, and members that Volcano has not checked get Undetermined.
     */
    private static final Set<String> UNSCHEDULABLE = Set.of("Unschedulable", "Schedulable", "Undetermined");

    private static final List<String> NOTICES = List.of(Names.ENDS_AT, Names.CHECKPOINT_SINCE, Names.RECLAIMED_TIMES);

    /** The grace period of pods that state none. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    /** A longer time than a century is not added to a time, or subtracted from it. */
    private static final long CENTURY = Duration.ofDays(36_525).toSeconds();

    private PodReading() {}

    /** Whether the pod has ended, successfully or not. */
    public static boolean ended(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    static @Nullable String nodeName(Pod pod) {
        var name = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        return name == null || name.isEmpty() ? null : name;
    }

    /**
     * Returns the node that the scheduler has chosen for a pod but not bound yet; null if there is none. Such a pod waits because other
     * pods must leave the node first (preemption), or because the binding takes time (KEP-5278). If a pod that never preempts others is
     * unschedulable, the room for which the scaler nominated it is gone; the scheduler leaves that nomination as it is.
     */
    static @Nullable String nominatedNode(Pod pod) {
        return isUnplaced(pod)
                        && !orEmpty(pod.getStatus().getNominatedNodeName()).isEmpty()
                        && !("Never".equals(pod.getSpec().getPreemptionPolicy())
                                && unschedulable(pod).isPresent())
                ? pod.getStatus().getNominatedNodeName()
                : null;
    }

    /**
     * Whether the scheduler tried and failed to place the pod, or Trainyard's scheduling gate is the only one of the pod. False for ended
     * pods, pods that are being deleted, and pods with scheduling gates of others.
     */
    static boolean waits(Pod pod) {
        return isGated(pod)
                ? hasNoNode(pod)
                : isUnplaced(pod) && unschedulable(pod).isPresent();
    }

    /** Whether Trainyard's scheduling gate is the only one of the pod. */
    public static boolean isGated(Pod pod) {
        var gates = pod.getSpec() == null
                ? List.<PodSchedulingGate>of()
                : orEmpty(pod.getSpec().getSchedulingGates());
        return !gates.isEmpty() && gates.stream().allMatch(gate -> Names.GANG_GATE.equals(gate.getName()));
    }

    /** Whether the pod has no node and may get one: it has not ended, is not being deleted, and has no scheduling gate. */
    private static boolean isUnplaced(Pod pod) {
        return hasNoNode(pod) && orEmpty(pod.getSpec().getSchedulingGates()).isEmpty();
    }

    /** Whether the pod has no node, has not ended, and is not being deleted. */
    private static boolean hasNoNode(Pod pod) {
        return pod.getSpec() != null
                && pod.getStatus() != null
                && nodeName(pod) == null
                && !ended(pod)
                && pod.getMetadata().getDeletionTimestamp() == null;
    }

    /** Returns the pod as a member of its gang; empty if it has none. */
    static Optional<GangPod> ofGang(Pod pod) {
        return GangClaim.of(pod).map(claim -> {
            boolean succeeded = pod.getStatus() != null
                    && "Succeeded".equals(pod.getStatus().getPhase());
            boolean hasNode = nodeName(pod) != null || nominatedNode(pod) != null;
            boolean stays = pod.getMetadata().getDeletionTimestamp() == null;
            return new GangPod(
                    orEmpty(pod.getMetadata().getUid()),
                    claim,
                    controller(pod).map(OwnerReference::getUid),
                    controller(pod)
                            .filter(owner -> "Job".equals(owner.getKind()))
                            .isPresent(),
                    created(pod),
                    !succeeded,
                    isGated(pod),
                    stays && (succeeded || (hasNode && !ended(pod))));
        });
    }

    /** Whether the scheduler has not tried the pod yet. False for ended pods, pods with a node, and pods that are being deleted. */
    static boolean unjudged(Pod pod) {
        return pod.getSpec() != null
                && pod.getStatus() != null
                && nodeName(pod) == null
                && !ended(pod)
                && pod.getMetadata().getDeletionTimestamp() == null
                && orEmpty(pod.getStatus().getConditions()).stream()
                        .noneMatch(condition -> "PodScheduled".equals(condition.getType()));
    }

    /** Returns when the pod was created; {@link Instant#EPOCH} if the time is unreadable. */
    static Instant created(Pod pod) {
        return time(pod.getMetadata().getCreationTimestamp()).orElse(Instant.EPOCH);
    }

    private static Optional<PodCondition> unschedulable(Pod pod) {
        return orEmpty(pod.getStatus().getConditions()).stream()
                .filter(condition -> "PodScheduled".equals(condition.getType())
                        && "False".equals(condition.getStatus())
                        && UNSCHEDULABLE.contains(orEmpty(condition.getReason())))
                .findFirst();
    }

    /** @throws RuntimeException if the pod is malformed; the message has the details */
    static PendingPod waiting(Pod pod) {
        var created = Instant.parse(pod.getMetadata().getCreationTimestamp());
        return pending(pod, PodReader.shapeOf(pod), created);
    }

    /** Returns the pod as a pending pod that has been pending since the given time. */
    static PendingPod pending(Pod pod, PodShape shape, Instant since) {
        var metadata = pod.getMetadata();
        var priority = pod.getSpec().getPriority();
        return new PendingPod(
                orEmpty(metadata.getUid()),
                orEmpty(metadata.getNamespace()),
                metadata.getName(),
                shape,
                priority == null ? 0 : priority,
                since,
                Names.SCHEDULER.equals(pod.getSpec().getSchedulerName()),
                unschedulable(pod)
                        .map(condition -> orEmpty(condition.getMessage()))
                        .orElse(""),
                Optional.empty(),
                PendingPod.Turn.ALONE,
                isGated(pod),
                Optional.ofNullable(pod.getStatus().getNominatedNodeName())
                        .filter(node -> isGated(pod) && !node.isEmpty()));
    }

    /**
     * Reads a pod on a node; never fails. A malformed pod counts as using no resources, and must not be interrupted.
     *
     * @param ownNamespace the namespace that Trainyard itself runs in
     */
    static PodOnNode onNode(Pod pod, String ownNamespace) {
        // A nominated pod has not run yet, and an eviction would delete it.
        var interruption = nodeName(pod) == null
                ? Interruption.never("the scheduler is about to bind it")
                : Interruption.of(pod, ownNamespace);
        Optional<PodShape> shape = Optional.empty();
        var relations = PodRelations.NONE;
        try {
            shape = Optional.of(PodReader.shapeOf(pod));
            relations = RelationsReader.relationsOf(pod, namespace -> Optional.empty());
        } catch (RuntimeException e) {
            interruption = Interruption.never("it cannot be read: " + e.getMessage());
        }
        return onNode(pod, shape, relations, interruption);
    }

    /** Returns a {@link PodOnNode} without its shape and its inter-pod relations, which are slow to read. */
    static PodOnNode unread(Pod pod, Interruption interruption) {
        return onNode(pod, Optional.empty(), PodRelations.NONE, interruption);
    }

    private static PodOnNode onNode(
            Pod pod, Optional<PodShape> shape, PodRelations relations, Interruption interruption) {
        var metadata = pod.getMetadata();
        return new PodOnNode(
                orEmpty(metadata.getNamespace()),
                metadata.getName(),
                orEmpty(metadata.getUid()),
                shape,
                relations,
                kind(pod),
                pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase()),
                scheduled(pod),
                notices(metadata.getAnnotations()),
                grace(pod),
                isEvicted(pod),
                endsBy(pod),
                deadline(pod),
                interruption);
    }

    private static Map<String, String> notices(@Nullable Map<String, String> annotations) {
        var notices = new HashMap<String, String>();
        for (var name : NOTICES) {
            var text = annotations == null ? null : annotations.get(name);
            if (text != null) {
                notices.put(name, text);
            }
        }
        return Map.copyOf(notices);
    }

    private static Duration grace(Pod pod) {
        var seconds = pod.getSpec() == null ? null : pod.getSpec().getTerminationGracePeriodSeconds();
        return seconds == null ? GRACE : Duration.ofSeconds(Math.min(CENTURY, Math.max(0, seconds)));
    }

    /** Returns when the deletion of a pod was requested; empty if the pod is not being deleted. */
    static Optional<Instant> deletedAt(Pod pod) {
        var grace = pod.getMetadata().getDeletionGracePeriodSeconds();
        return time(pod.getMetadata().getDeletionTimestamp())
                .map(end -> grace == null || grace < 0 || grace > CENTURY ? end : end.minusSeconds(grace));
    }

    /** Whether the pod is Ready, which Kubernetes' disruption budgets count as healthy. */
    static boolean isReady(Pod pod) {
        return pod.getStatus() != null
                && orEmpty(pod.getStatus().getConditions()).stream()
                        .anyMatch(condition ->
                                "Ready".equals(condition.getType()) && "True".equals(condition.getStatus()));
    }

    /** Whether something evicted the pod, so that its controller creates the pod again. */
    public static boolean isEvicted(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() != null
                && pod.getStatus() != null
                && orEmpty(pod.getStatus().getConditions()).stream()
                        .anyMatch(condition ->
                                "DisruptionTarget".equals(condition.getType()) && "True".equals(condition.getStatus()));
    }

    /**
     * Returns when a pod that is being deleted must have ended; empty for other pods. The deletion timestamp is the end of the grace
     * period, not the time of the deletion request. An unreadable time counts as past.
     */
    private static Optional<Instant> endsBy(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getDeletionTimestamp())
                .map(text -> time(text).orElse(Instant.EPOCH));
    }

    private static Optional<Instant> deadline(Pod pod) {
        return Optional.ofNullable(pod.getSpec())
                .map(spec -> spec.getActiveDeadlineSeconds())
                .filter(seconds -> seconds >= 0 && seconds <= CENTURY)
                .flatMap(seconds -> Optional.ofNullable(pod.getStatus())
                        .flatMap(status -> time(status.getStartTime()))
                        .map(start -> start.plusSeconds(seconds)));
    }

    private static Instant scheduled(Pod pod) {
        return Stream.ofNullable(pod.getStatus())
                .flatMap(status -> orEmpty(status.getConditions()).stream())
                .filter(condition -> "PodScheduled".equals(condition.getType()) && "True".equals(condition.getStatus()))
                .flatMap(condition -> time(condition.getLastTransitionTime()).stream())
                .findFirst()
                .or(() -> Optional.ofNullable(pod.getStatus()).flatMap(status -> time(status.getStartTime())))
                .orElse(Instant.EPOCH);
    }

    /** Returns when the last container of an ended training pod stopped. Empty for other pods, or if the time is unknown. */
    static Optional<Instant> endOfTraining(Pod pod) {
        if (!ended(pod) || kind(pod) != PodOnNode.Kind.TRAINING) {
            return Optional.empty();
        }
        return orEmpty(pod.getStatus().getContainerStatuses()).stream()
                .flatMap(status -> Stream.ofNullable(status.getState()))
                .flatMap(state -> Stream.ofNullable(state.getTerminated()))
                .flatMap(terminated -> time(terminated.getFinishedAt()).stream())
                .max(Instant::compareTo);
    }

    /** Returns when the last of the pod's containers started; empty if any container has not started. */
    public static Optional<Instant> containersStarted(Pod pod) {
        var containers = pod.getStatus() == null
                ? List.<ContainerStatus>of()
                : orEmpty(pod.getStatus().getContainerStatuses());
        var starts = containers.stream().map(PodReading::started).toList();
        return starts.stream().allMatch(Optional::isPresent)
                ? starts.stream().flatMap(Optional::stream).max(Instant::compareTo)
                : Optional.empty();
    }

    private static Optional<Instant> started(ContainerStatus container) {
        return Stream.of(container.getState(), container.getLastState())
                .filter(state -> state != null)
                .flatMap(state -> Stream.of(
                        Optional.ofNullable(state.getRunning()).map(running -> running.getStartedAt()),
                        Optional.ofNullable(state.getTerminated()).map(ended -> ended.getStartedAt())))
                .flatMap(Optional::stream)
                .flatMap(text -> time(text).stream())
                .findFirst();
    }

    /**
     * Returns since when all containers of the pod have been running; empty if one of them does not run. A container that ended
     * successfully counts as running. A pod without reported containers runs since the start of the pod, if its phase says that it runs.
     */
    static Optional<Instant> runningSince(Pod pod) {
        var status = pod.getStatus();
        if (status == null || !"Running".equals(status.getPhase())) {
            return Optional.empty();
        }
        var containers = orEmpty(status.getContainerStatuses());
        if (containers.isEmpty()) {
            return time(status.getStartTime());
        }
        return containers.stream().allMatch(PodReading::runsOrSucceeded) ? containersStarted(pod) : Optional.empty();
    }

    private static boolean runsOrSucceeded(ContainerStatus container) {
        var state = container.getState();
        boolean succeeded = state != null
                && state.getTerminated() != null
                && Integer.valueOf(0).equals(state.getTerminated().getExitCode());
        return succeeded || (state != null && state.getRunning() != null);
    }

    /** Parses a time; returns empty if the text is missing or unreadable, or if its year has more than four digits. */
    static Optional<Instant> time(@Nullable String text) {
        try {
            return Optional.ofNullable(text)
                    .map(Instant::parse)
                    .filter(time -> !time.isAfter(LATEST) && !time.isBefore(EARLIEST));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Whether the value of an annotation or label means yes: {@code true} or {@code 1}. */
    static boolean affirms(@Nullable String value) {
        return "true".equalsIgnoreCase(value) || "1".equals(value);
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

    static Optional<OwnerReference> controller(Pod pod) {
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
