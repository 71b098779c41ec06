package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the scaler knows of a pool and what it does about it. Sizes that were never read are absent, never zero. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrainingPoolStatus(
        @Nullable Long observedGeneration,

        @JsonPropertyDescription("Machines asked of the cloud.") @Nullable
        Integer target,

        @JsonPropertyDescription("Machines whose nodes are usable.") @Nullable
        Integer ready,

        @JsonPropertyDescription("Machines asked for and not usable yet.") @Nullable
        Integer upcoming,

        @JsonPropertyDescription("Requested machines whose nodes have not joined yet. The oldest request comes first.")
        @Nullable
        List<OwedStatus> owed,

        @JsonPropertyDescription("What the scaler last did about this pool, and why.") @Nullable
        String message,

        @Nullable BackOff backOff,

        @JsonPropertyDescription(
                "What machines of spec.promise.instanceType have, as their cloud told: of a size that Trainyard's own table lacks.")
        @Nullable
        MachineStatus machine,

        @JsonPropertyDescription("What is remembered of the pool's nodes.") @Nullable
        NodesStatus nodes,

        @Nullable List<ConditionStatus> conditions) {

    public static final TrainingPoolStatus UNKNOWN =
            new TrainingPoolStatus(null, null, null, null, null, null, null, null, null, null);

    /** The same with another number of machines that were asked for and are not usable yet. */
    public TrainingPoolStatus withUpcoming(int machines) {
        return new TrainingPoolStatus(
                observedGeneration, target, ready, machines, owed, message, backOff, machine, nodes, conditions);
    }

    /**
     * A pool that failed is not asked again before {@code until}.
     *
     * @param until RFC 3339 time
     * @param failures failures in a row, from which the length of the next back-off follows
     */
    public record BackOff(String until, String kind, String reason, int failures) {}

    /**
     * Machines that were requested together.
     *
     * @param since RFC 3339 time from which their wait counts
     * @param machines how many of them have no node yet
     */
    public record OwedStatus(String since, int machines) {}

    /**
     * A size of machine. See {@link dev.trainyard.core.machine.MachineSize}.
     *
     * @param instanceType as its cloud calls it
     * @param memoryMiB of the machine; a node shows less
     * @param gpus that Kubernetes would count
     * @param gpuProduct absent when the cloud does not tell
     * @param gpuMemoryMiB of each GPU; absent when the cloud does not tell
     * @param pods that it may run as the cloud sets it up
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record MachineStatus(
            String instanceType,
            int cpus,
            long memoryMiB,
            int gpus,
            @Nullable String gpuProduct,
            @Nullable Long gpuMemoryMiB,
            int pods) {}

    /**
     * What is remembered of the nodes that a pool has had.
     *
     * @param labels keys of labels that they had; absent if no node has been in service
     * @param labelsSeen RFC 3339 time at which that was known
     * @param exclusions pods that could not run on machines that joined for them
     * @param joined identifiers of present machines whose nodes have joined
     * @param lost by identifier of a machine whose node has joined and is gone: RFC 3339 time at which that was noticed
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record NodesStatus(
            @Nullable List<String> labels,
            @Nullable String labelsSeen,
            @Nullable List<ExclusionStatus> exclusions,
            @Nullable List<String> joined,
            @Nullable Map<String, String> lost) {}

    /**
     * Pods for which no machine of the pool is requested before {@code until}.
     *
     * @param pods a digest of what all of them demand
     * @param until RFC 3339 time
     * @param failures machines that joined for such pods, and on which the pods could not run; 0 while that is not certain
     */
    public record ExclusionStatus(String pods, String until, int failures, String reason) {}

    /** A Kubernetes condition. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ConditionStatus(
            String type,
            String status,
            String reason,
            String message,
            @Nullable String lastTransitionTime) {}
}
