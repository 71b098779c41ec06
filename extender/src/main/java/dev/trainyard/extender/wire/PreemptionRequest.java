package dev.trainyard.extender.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;

/**
 * The question which of the nodes that the scheduler would evict pods from it may have: {@code ExtenderPreemptionArgs} of
 * {@code k8s.io/kube-scheduler/extender/v1}, the form with whole pods as victims brought into the one with their UIDs.
 *
 * @param victims by node name
 */
public record PreemptionRequest(SentPod pod, Map<String, Victims> victims) {

    /**
     * {@code MetaVictims}.
     *
     * @param numPdbViolations how many of the victims a PodDisruptionBudget would rather keep
     */
    public record Victims(
            @JsonProperty("Pods") List<Victim> pods,
            @JsonProperty("NumPDBViolations") long numPdbViolations) {}

    /** {@code MetaPod}. */
    public record Victim(@JsonProperty("UID") String uid) {}
}
