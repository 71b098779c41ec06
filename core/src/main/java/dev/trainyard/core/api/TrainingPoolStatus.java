package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a pool as the scaler sees it, and the actions of the scaler. The numbers of machines are absent, not zero, until the scaler
 * has read them from the cloud.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrainingPoolStatus(
        @Nullable Long observedGeneration,

        @JsonPropertyDescription("Requested number of machines, including existing ones.") @Nullable
        Integer target,

        @JsonPropertyDescription("Number of machines whose nodes are usable.") @Nullable
        Integer ready,

        @JsonPropertyDescription(
                "Number of requested machines that have no node yet or whose nodes are not usable yet. The metric "
                        + "trainyard_scaler_pool_upcoming counts only machines without a node.")
        @Nullable
        Integer upcoming,

        @JsonPropertyDescription("Requested machines whose nodes have not joined yet. The oldest request comes first.")
        @Nullable
        List<OwedStatus> owed,

        @JsonPropertyDescription("The scaler's last action for this pool, and the reason.") @Nullable
        String message,

        @Nullable BackOff backOff,

        @JsonPropertyDescription(
                "Resources of a machine of size spec.promise.instanceType, as the cloud reports them. Present only for "
                        + "sizes that Trainyard's own table lacks.")
        @Nullable
        MachineStatus machine,

        @JsonPropertyDescription("Recorded facts about the pool's past and present nodes.") @Nullable
        NodesStatus nodes,

        @JsonPropertyDescription(
                "How well the pool has delivered and kept its machines. The sums decay: an event counts half after one day.")
        @Nullable
        ReliabilityStatus reliability,

        @Nullable List<ConditionStatus> conditions) {

    public static final TrainingPoolStatus UNKNOWN =
            new TrainingPoolStatus(null, null, null, null, null, null, null, null, null, null, null);

    /**
     * Returns this status with the numbers of machines after a request that the scaler is about to send.
     *
     * @param target number of the pool's machines after the request
     * @param upcoming number of those machines that are still provisioning
     */
    public TrainingPoolStatus announcing(int target, int upcoming, List<ConditionStatus> conditions) {
        return new TrainingPoolStatus(
                observedGeneration,
                target,
                ready,
                upcoming,
                owed,
                message,
                backOff,
                machine,
                nodes,
                reliability,
                conditions);
    }

    /**
     * The back-off of a pool that failed: no machine is requested before {@code until}.
     *
     * @param until RFC 3339 time
     * @param failures number of consecutive failures, which determines the length of the next back-off
     */
    public record BackOff(String until, String kind, String reason, int failures) {}

    /**
     * Machines that were requested together, and whose nodes have not joined yet.
     *
     * @param since RFC 3339 time at which the wait for these machines started
     * @param machines number of the machines that have no node yet
     */
    public record OwedStatus(String since, int machines) {}

    /**
     * A size of machine. See {@link dev.trainyard.core.machine.MachineSize}.
     *
     * @param instanceType the cloud's name for the size
     * @param memoryMiB memory of the machine in MiB; its node reports less
     * @param gpus number of GPUs that the node reports to Kubernetes
     * @param gpuProduct absent if the cloud does not report it
     * @param gpuMemoryMiB memory of each GPU in MiB; absent if the cloud does not report it
     * @param pods number of pods that the machine can run in the cloud's default setup
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
     * The recorded facts about the nodes that a pool has had.
     *
     * @param labels keys of the labels on the nodes; absent if no node has been in service
     * @param labelsSeen RFC 3339 time at which the labels were read
     * @param exclusions pods that could not run on the machines that joined for these pods
     * @param joined identifiers of existing machines whose nodes have joined
     * @param lost RFC 3339 times at which the scaler noticed that a joined node had disappeared, by identifier of the machine
     * @param broken machines that broke
     * @param removing identifiers of the joined machines that the scaler has decided to remove
     * @param vanished RFC 3339 times at which the scaler noticed that the cloud no longer lists a joined machine, by identifier
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record NodesStatus(
            @Nullable List<String> labels,
            @Nullable String labelsSeen,
            @Nullable List<ExclusionStatus> exclusions,
            @Nullable List<String> joined,
            @Nullable Map<String, String> lost,
            @Nullable List<BrokenStatus> broken,
            @Nullable List<String> removing,
            @Nullable Map<String, String> vanished) {}

    /**
     * How well a pool has delivered and kept its machines.
     *
     * @param at RFC 3339 time at which the sums were added up
     * @param machines number of machines with a node since then
     * @param machineHours sum of the hours of machines with a node
     * @param reclaims sum of the machines that the cloud has taken after their node had joined
     * @param failedLaunches sum of the back-offs because the cloud delivered no machine, or none that was usable in time
     */
    public record ReliabilityStatus(
            @JsonPropertyDescription("Time at which the sums were added up, in the format of RFC 3339.")
            String at,

            @JsonPropertyDescription("Number of machines with a node since then.")
            int machines,

            @JsonPropertyDescription("Sum of the hours of machines with a node.")
            double machineHours,

            @JsonPropertyDescription("Sum of the machines that the cloud has taken after their node had joined.")
            double reclaims,

            @JsonPropertyDescription(
                    "Sum of the back-offs that began because the cloud delivered no machine, or none that was usable in time.")
            double failedLaunches) {}

    /**
     * A machine that broke.
     *
     * @param machine identifier of the machine
     * @param at RFC 3339 time from which on the machine counted as broken
     * @param size the cloud's name of the machine's size; empty if unknown
     * @param zone empty if unknown
     */
    public record BrokenStatus(String machine, String at, String size, String zone) {}

    /**
     * Pods for which no machine of the pool is requested before {@code until}.
     *
     * @param pods a digest of the requests and constraints that the pods share, and of the pool's promise
     * @param until RFC 3339 time
     * @param failures number of machines that joined for these pods but could not run them; 0 while the exclusion is provisional. An
     *     exclusion is provisional as long as the node of a newly joined machine can still get labels
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
