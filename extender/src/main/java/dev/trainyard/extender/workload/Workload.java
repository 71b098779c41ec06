package dev.trainyard.extender.workload;

import dev.trainyard.extender.pod.PodClass;
import java.util.List;

/**
 * What pods usually ask for. Immutable.
 *
 * @param typical classes of pods, the most usual first; their shares sum up to 1, unless nothing is known yet
 */
public record Workload(List<Typical> typical) {

    public static final Workload UNKNOWN = new Workload(List.of());

    /**
     * A class of pods and its share of the workload.
     *
     * @param share how much of all pods are of this class, 0 to 1
     */
    public record Typical(PodClass pod, double share) {}

    public Workload {
        typical = List.copyOf(typical);
    }
}
