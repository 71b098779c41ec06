package dev.trainyard.extender.pod;

import dev.trainyard.core.AdmissionTraceId;
import dev.trainyard.core.Names;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.extender.gpu.GpuDemand;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a pod that the extender uses. Immutable.
 *
 * @param resourceVersion version of the object that the facts were read from; facts of equal versions are equal
 * @param trace the trace ID that identifies the pod in the webhook's log; empty if the pod has none
 * @param created creation time; empty if missing
 * @param scheduler name of the scheduler that must place the pod
 * @param node name of the pod's node; empty while the pod has none
 * @param verdict the scheduler's last message about the pod, which may be blank; empty if no scheduler has looked at the pod
 * @param gpuIndexes indexes of the node's GPUs that the pod got; empty if unknown
 */
public record PodFacts(
        String uid,
        String resourceVersion,
        String namespace,
        String name,
        String trace,
        Optional<Instant> created,
        String scheduler,
        Optional<String> node,
        Optional<String> verdict,
        boolean ended,
        PodShape shape,
        GpuDemand gpus,
        List<Integer> gpuIndexes) {

    private static final int MOST_DIGITS = 4;

    /**
     * The longest {@link Names#GPU_INDEX} annotation that is read, in characters: enough for more GPUs than any machine has. An annotation
     * may have 256 KiB, and its indexes would stay in memory for the life of the pod.
     */
    private static final int LONGEST_INDEXES = 1000;

    public PodFacts {
        gpuIndexes = List.copyOf(gpuIndexes);
    }

    /**
     * Reads the facts of a pod.
     *
     * @throws IllegalArgumentException if a field of the pod is invalid; the message names the field
     */
    public static PodFacts of(Pod pod) {
        var metadata = pod.getMetadata();
        var shape = PodReader.shapeOf(pod);
        var annotations = Objects.requireNonNullElse(metadata.getAnnotations(), Map.<String, String>of());
        var node = pod.getSpec().getNodeName();
        return new PodFacts(
                orEmpty(metadata.getUid()),
                orEmpty(metadata.getResourceVersion()),
                orEmpty(metadata.getNamespace()),
                orEmpty(metadata.getName()),
                AdmissionTraceId.of(annotations.get(Names.ADMISSION)).orElse(""),
                time(metadata.getCreationTimestamp()),
                orEmpty(pod.getSpec().getSchedulerName()),
                node == null || node.isEmpty() ? Optional.empty() : Optional.of(node),
                verdict(pod),
                hasEnded(pod),
                shape,
                GpuDemand.of(shape.gpus(), annotations),
                indexes(annotations.get(Names.GPU_INDEX)));
    }

    /** Returns the pod's class for scoring. */
    public PodClass podClass() {
        return new PodClass(
                shape.requests().get(ResourceNames.CPU),
                shape.requests().get(ResourceNames.MEMORY),
                gpus,
                shape.wish());
    }

    /** Whether our scheduler places the pod or has placed it. */
    public boolean isOurs() {
        return Names.SCHEDULER.equals(scheduler);
    }

    /** Whether the pod needs a node and has none yet. */
    public boolean waits() {
        return node.isEmpty() && !ended;
    }

    /** Whether a scheduler has looked at the pod. */
    public boolean judged() {
        return verdict.isPresent();
    }

    private static boolean hasEnded(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    /** Returns the message of condition PodScheduled; empty without this condition. A pod with scheduling gates has the condition too. */
    private static Optional<String> verdict(Pod pod) {
        var status = pod.getStatus();
        return status == null || status.getConditions() == null
                ? Optional.empty()
                : status.getConditions().stream()
                        .filter(condition -> "PodScheduled".equals(condition.getType()))
                        .map(condition -> orEmpty(condition.getMessage()))
                        .findFirst();
    }

    private static Optional<Instant> time(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static List<Integer> indexes(@Nullable String text) {
        if (text == null || text.isBlank() || text.length() > LONGEST_INDEXES) {
            return List.of();
        }
        var parts = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        boolean numbers = parts.stream()
                .allMatch(part -> !part.isEmpty()
                        && part.length() <= MOST_DIGITS
                        && part.chars().allMatch(digit -> digit >= '0' && digit <= '9'));
        return numbers ? parts.stream().map(Integer::valueOf).distinct().toList() : List.of();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
