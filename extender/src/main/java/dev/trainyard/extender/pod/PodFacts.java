package dev.trainyard.extender.pod;

import dev.trainyard.core.Names;
import dev.trainyard.core.Trace;
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
 * What the extender wants to know of a pod. Immutable.
 *
 * @param resourceVersion of the object that this was read from; facts of the same one are the same
 * @param trace what the webhook's log has it by; empty when the webhook left nothing on it
 * @param created when; empty when nobody said
 * @param scheduler whose scheduler is to place it
 * @param node where it is; empty while it has none
 * @param verdict what the scheduler said of it last, which may be nothing; empty when no scheduler has looked at it
 * @param gpuIndexes which of its node's GPUs it was given; empty when nobody said
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

    /** Of more GPUs than any machine has; an annotation may be as long as 256 KiB, and what it says is kept as long as the pod is there. */
    private static final int LONGEST_INDEXES = 1000;

    public PodFacts {
        gpuIndexes = List.copyOf(gpuIndexes);
    }

    /**
     * Reads the facts of a pod.
     *
     * @throws IllegalArgumentException when the pod holds something that is not what it should be; the message says what
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
                Trace.of(annotations.get(Names.ADMISSION)).orElse(""),
                time(metadata.getCreationTimestamp()),
                orEmpty(pod.getSpec().getSchedulerName()),
                node == null || node.isEmpty() ? Optional.empty() : Optional.of(node),
                verdict(pod),
                hasEnded(pod),
                shape,
                GpuDemand.of(shape.gpus(), annotations),
                indexes(annotations.get(Names.GPU_INDEX)));
    }

    /** What it has in common with others, for whoever scores nodes. */
    public PodClass podClass() {
        return new PodClass(
                shape.requests().get(ResourceNames.CPU),
                shape.requests().get(ResourceNames.MEMORY),
                gpus,
                shape.wish());
    }

    /** Whether our scheduler is to place it, or has. */
    public boolean isOurs() {
        return Names.SCHEDULER.equals(scheduler);
    }

    /** Whether it has no node yet and wants one. */
    public boolean waits() {
        return node.isEmpty() && !ended;
    }

    /** Whether a scheduler has looked at it. */
    public boolean judged() {
        return verdict.isPresent();
    }

    private static boolean hasEnded(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    /** The message of its condition PodScheduled; one that also has it waits for something else than a scheduler. */
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
