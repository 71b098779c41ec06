package dev.trainyard.scaler.observe;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.gang.GangClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules for interrupting a pod, from its marks and its kind. A mark is an annotation or a label of Trainyard, Cluster Autoscaler,
 * Karpenter or the OpenAI autoscaler. If the value of a do-not-disrupt mark cannot be read, the pod is never interrupted.
 *
 * @param never why the pod must never be interrupted; empty if it may be interrupted
 * @param sheltered until when a mark with a duration forbids interruptions; empty if the pod has no such mark or has not started
 * @param resumable whether the pod can be resumed elsewhere, according to its marks or its kind; empty if its tier decides
 * @param tie why the pod is not moved just to use machines better; empty if it may be moved. If the machine fails, a pod with a tie may
 *     still be interrupted
 */
public record Interruption(
        Optional<String> never, Optional<Instant> sheltered, Optional<Boolean> resumable, Optional<String> tie) {

    /**
     * A mark of Cluster Autoscaler. {@code "false"} forbids interruptions. {@code "true"} allows moving a pod that has a {@code tie} or no
     * controller.
     */
    static final String SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict";

    /** A mark of Cluster Autoscaler: the names of volumes whose data may be lost, separated by commas. */
    static final String SAFE_VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";

    /**
     * Marks of Trainyard and Karpenter. {@code "true"} forbids interruptions. A duration forbids interruptions for that long after the
     * pod's start.
     */
    private static final List<String> DO_NOT_DISRUPT = List.of(Names.DO_NOT_DISRUPT, "karpenter.sh/do-not-disrupt");

    /**
     * Marks that forbid interruptions if they are {@code "true"} or {@code "1"}: an old mark of Karpenter, and a mark of the OpenAI
     * autoscaler.
     */
    private static final List<String> DO_NOT_DRAIN = List.of("karpenter.sh/do-not-evict", "openai/do-not-drain");

    private static final Set<String> NO = Set.of("", "false", "0", "no");

    public static final Interruption ALLOWED =
            new Interruption(Optional.empty(), Optional.empty(), Optional.of(true), Optional.empty());

    /** Returns why the pod must not be interrupted now, as text; empty if it may be interrupted. */
    public Optional<String> blocker(Instant now) {
        return never.or(() -> sheltered
                .filter(now::isBefore)
                .map(until -> "it is marked not to be disrupted before %s".formatted(until)));
    }

    /** Returns the rules for a pod that must never be interrupted, for a reason other than its marks. */
    static Interruption never(String why) {
        return new Interruption(Optional.of(why), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** @param ownNamespace the namespace that Trainyard itself runs in; the scaler never interrupts pods of this namespace */
    static Interruption of(Pod pod, String ownNamespace) {
        var marks = new Marked(pod);
        if (ownNamespace.equals(pod.getMetadata().getNamespace())) {
            return never("it belongs to Trainyard");
        }
        boolean safe = marks.affirms(SAFE);
        var forbidden = forbidden(marks, pod)
                .or(() -> safe || hasController(pod)
                        ? Optional.empty()
                        : Optional.of("it has no controller that would create it again"));
        return new Interruption(
                forbidden,
                sheltered(marks, pod),
                resumable(marks, pod, safe),
                safe ? Optional.empty() : tie(marks, pod));
    }

    private static Optional<String> forbidden(Marked marks, Pod pod) {
        return Stream.of(
                        DO_NOT_DISRUPT.stream()
                                .filter(name -> marks.value(name)
                                        .filter(value -> !NO.contains(value) && !holdsForAWhile(value, pod))
                                        .isPresent()),
                        DO_NOT_DRAIN.stream().filter(marks::affirms),
                        Stream.of(SAFE)
                                .filter(name -> marks.value(name)
                                        .filter("false"::equals)
                                        .isPresent()))
                .flatMap(names -> names)
                .findFirst()
                .map(name -> "it is marked %s: \"%s\"".formatted(name, marks.raw(name)));
    }

    /**
     * Returns whether the pod can be resumed; empty if unknown. An interrupted training starts again from its last checkpoint or from the
     * beginning. Only the author of the training knows which. A pod of a ReplicaSet with restart policy Always is not a training. Such a
     * pod can be resumed, since it is replaced whenever its Deployment changes.
     */
    private static Optional<Boolean> resumable(Marked marks, Pod pod, boolean safe) {
        var stated = marks.value(Names.RESUMABLE).map(PodReading::affirms);
        boolean serves = PodReading.controller(pod)
                        .filter(owner -> "ReplicaSet".equals(owner.getKind()))
                        .isPresent()
                && pod.getSpec() != null
                && (pod.getSpec().getRestartPolicy() == null
                        || "Always".equals(pod.getSpec().getRestartPolicy()));
        return stated.or(() -> safe || serves ? Optional.of(true) : Optional.empty());
    }

    /**
     * Whether the value is a duration and the pod has started, so that the duration applies. Before the pod's start, the mark forbids every
     * interruption.
     */
    private static boolean holdsForAWhile(String value, Pod pod) {
        return duration(value).isPresent() && started(pod).isPresent();
    }

    private static Optional<Instant> sheltered(Marked marks, Pod pod) {
        return DO_NOT_DISRUPT.stream()
                .flatMap(name -> marks.value(name).flatMap(Interruption::duration).stream())
                .flatMap(time -> started(pod).map(start -> PoolView.after(start, time)).stream())
                .max(Instant::compareTo);
    }

    /**
     * Returns why the pod is not moved just to use machines better. The reason is its gang or one of Cluster Autoscaler's rules.
     * PodDisruptionBudgets are not considered here; see {@link DisruptionBudget}.
     */
    private static Optional<String> tie(Marked marks, Pod pod) {
        if ("kube-system".equals(pod.getMetadata().getNamespace())) {
            return Optional.of(
                    "it is a system pod; set %s: \"true\" on the pod to let the pod be moved".formatted(SAFE));
        }
        var gang = GangClaim.of(pod);
        if (gang.isPresent()) {
            return Optional.of(
                    "the other pods of its gang%s would stop with it; set %s: \"true\" on the pod to let the pod be moved"
                            .formatted(
                                    gang.get().name().isEmpty()
                                            ? ""
                                            : " " + gang.get().name(),
                                    SAFE));
        }
        var expendable = Set.of(marks.value(SAFE_VOLUMES).orElse("").split("\\s*,\\s*"));
        return volumes(pod)
                .filter(volume -> isLocal(volume, pod))
                .map(volume -> String.valueOf(volume.getName()))
                .filter(name -> !expendable.contains(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .map(name -> "its volume %s is on the machine's disk; set %s: \"%s\" on the pod to let the pod be moved"
                        .formatted(name, SAFE_VOLUMES, name));
    }

    /**
     * Whether the volume's data is on the machine's disk, so that it may be lost with the machine. False for a volume in memory, and for a
     * host path that the pod only reads, such as a driver's files.
     */
    private static boolean isLocal(Volume volume, Pod pod) {
        if (volume.getEmptyDir() != null) {
            return !"Memory".equals(volume.getEmptyDir().getMedium());
        }
        return volume.getHostPath() != null
                && mounts(pod)
                        .anyMatch(mount -> String.valueOf(mount.getName()).equals(volume.getName())
                                && !Boolean.TRUE.equals(mount.getReadOnly()));
    }

    private static Stream<Volume> volumes(Pod pod) {
        return orEmpty(pod.getSpec() == null ? null : pod.getSpec().getVolumes()).stream();
    }

    private static Stream<VolumeMount> mounts(Pod pod) {
        return Stream.concat(
                        orEmpty(pod.getSpec().getContainers()).stream(),
                        orEmpty(pod.getSpec().getInitContainers()).stream())
                .flatMap(container -> orEmpty(container.getVolumeMounts()).stream());
    }

    private static boolean hasController(Pod pod) {
        return PodReading.controller(pod).isPresent();
    }

    private static Optional<Instant> started(Pod pod) {
        return Optional.ofNullable(pod.getStatus())
                .map(status -> status.getStartTime())
                .flatMap(PodReading::time);
    }

    /**
     * Parses a duration; returns empty for any other text. Karpenter's marks use Go's format. Trainyard's format is the same, but without
     * fractions, microseconds and nanoseconds.
     */
    private static Optional<Duration> duration(String value) {
        try {
            return Optional.of(Durations.parse(value));
        } catch (IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    /** A pod's marks: its annotations, and the label of the same name if an annotation is missing. */
    private record Marked(Map<String, String> annotations, Map<String, String> labels) {

        Marked(Pod pod) {
            this(
                    orEmpty(pod.getMetadata().getAnnotations()),
                    orEmpty(pod.getMetadata().getLabels()));
        }

        @Nullable
        String raw(String name) {
            var annotation = annotations.get(name);
            return annotation == null ? labels.get(name) : annotation;
        }

        /** Returns the value in lower case. */
        Optional<String> value(String name) {
            return Optional.ofNullable(raw(name)).map(value -> value.strip().toLowerCase(Locale.ROOT));
        }

        boolean affirms(String name) {
            return value(name).filter(PodReading::affirms).isPresent();
        }

        private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
            return map == null ? Map.of() : map;
        }
    }
}
