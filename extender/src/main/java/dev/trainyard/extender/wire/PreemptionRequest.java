package dev.trainyard.extender.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;

/**
 * A question of the scheduler about preemption: which of the nodes, from which it would evict pods, may the pod use? The form is
 * {@code ExtenderPreemptionArgs} of {@code k8s.io/kube-scheduler/extender/v1}. Victims as whole pods are converted to victims by UID.
 *
 * @param victims by node name
 */
public record PreemptionRequest(SentPod pod, Map<String, Victims> victims) {

    /**
     * The victims on one node: {@code MetaVictims}.
     *
     * @param numPdbViolations number of victims that a PodDisruptionBudget protects
     */
    public record Victims(
            @JsonProperty("Pods") List<Victim> pods,
            @JsonProperty("NumPDBViolations") long numPdbViolations) {}

    /** A victim: {@code MetaPod}. */
    public record Victim(@JsonProperty("UID") String uid) {}
}
