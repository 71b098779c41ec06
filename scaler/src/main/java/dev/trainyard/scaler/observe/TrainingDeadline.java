package dev.trainyard.scaler.observe;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.UserText;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The deadline that the author of a training states in annotations of its pods.
 *
 * @param at when the training must be done
 * @param work how long the training runs if nothing interrupts it; empty if the author does not say
 * @param restartCost the time that an interruption costs, apart from the launch of a machine
 */
public record TrainingDeadline(Instant at, Optional<Duration> work, Duration restartCost) {

    /** The restart cost of pods that state none. A Job controller waits for up to this time before it creates a pod again. */
    static final Duration USUAL_RESTART_COST = Duration.ofMinutes(10);

    /**
     * Reads the annotations of a pod; returns empty if the pod has none of these annotations.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the annotation, the value and what was expected
     */
    static Optional<TrainingDeadline> of(Map<String, String> annotations) {
        var text = annotations.get(Names.DEADLINE);
        if (text == null) {
            for (var other : new String[] {Names.WORK, Names.RESTART_COST}) {
                if (annotations.containsKey(other)) {
                    throw new IllegalArgumentException(
                            "annotation %s: '%s' has no effect without %s, such as 2026-01-02T08:00:00Z"
                                    .formatted(other, UserText.shown(annotations.get(other)), Names.DEADLINE));
                }
            }
            return Optional.empty();
        }
        var at = PodReading.time(text.strip())
                .orElseThrow(() ->
                        new IllegalArgumentException("annotation %s: '%s' is not a time such as 2026-01-02T08:00:00Z"
                                .formatted(Names.DEADLINE, UserText.shown(text))));
        return Optional.of(new TrainingDeadline(
                at,
                duration(annotations, Names.WORK),
                duration(annotations, Names.RESTART_COST).orElse(USUAL_RESTART_COST)));
    }

    private static Optional<Duration> duration(Map<String, String> annotations, String name) {
        try {
            return Optional.ofNullable(annotations.get(name)).map(String::strip).map(Durations::parsePositive);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "annotation %s: %s".formatted(name, UserText.printable(String.valueOf(e.getMessage()))));
        }
    }
}
