package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of a tier, as the scaler sees it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrainingTierStatus(
        @Nullable Long observedGeneration,
        @Nullable String message,
        @Nullable List<TrainingPoolStatus.ConditionStatus> conditions,

        @JsonPropertyDescription(
                "The Jobs, and other owners of pods, that last lost a pod to a reclaim. The newest comes first. At most 20.")
        @Nullable
        List<ReclaimedJobStatus> reclaimedJobs) {

    /**
     * The owner of pods that were evicted because of reclaims.
     *
     * @param kind the kind of the owner, such as Job
     * @param uid the UID of the owner, since another owner may have the same name later
     * @param times number of its running pods that were evicted because the cloud reclaimed a machine
     * @param gpuSeconds time since these pods had got their nodes, for each of their GPUs
     * @param last RFC 3339 time of the last of these evictions
     */
    public record ReclaimedJobStatus(
            String namespace, String kind, String name, String uid, int times, long gpuSeconds, String last) {}
}
