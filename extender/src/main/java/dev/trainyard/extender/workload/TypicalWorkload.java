package dev.trainyard.extender.workload;

import dev.trainyard.extender.pod.PodClass;
import java.util.List;

/**
 * The typical demand of pods. Immutable.
 *
 * @param typical classes of pods, the most frequent first; empty if nothing is known yet. The shares of the classes add up to 1
 */
public record TypicalWorkload(List<Typical> typical) {

    public static final TypicalWorkload UNKNOWN = new TypicalWorkload(List.of());

    /**
     * A class of pods and its share of the workload.
     *
     * @param share the part of all pods that is of this class, 0 to 1
     */
    public record Typical(PodClass pod, double share) {}

    public TypicalWorkload {
        typical = List.copyOf(typical);
    }
}
