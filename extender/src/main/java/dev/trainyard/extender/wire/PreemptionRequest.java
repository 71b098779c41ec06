package dev.trainyard.extender.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;

/**
 * A request of the scheduler about preemption: the scheduler would evict pods from these nodes, and asks which nodes the pod may use. The
 * form is {@code ExtenderPreemptionArgs} of {@code k8s.io/kube-scheduler/extender/v1}. Victims that are sent as whole pods are reduced to
 * their UIDs.
 *
 * @param victims the pods to evict, by node name
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
