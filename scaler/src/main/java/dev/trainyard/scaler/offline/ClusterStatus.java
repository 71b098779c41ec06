package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a cluster. Its JSON is a public interface: members may be added, but none is removed. Unknown values are absent, never zero.
 *
 * @param now when the cluster had this state, in the format of RFC 3339
 * @param pools every valid pool, sorted by name
 * @param machines the nodes of pools, sorted by pool and name
 * @param waiting pending pods; the pod that has been pending longest comes first
 * @param reclaimed the Jobs of each tier that last lost pods to reclaims; the newest of a tier comes first
 * @param problems objects that are invalid or could not be read, and parts of the cluster that the client has no permission to read
 */
public record ClusterStatus(
        String now,
        List<PoolLine> pools,
        List<MachineLine> machines,
        List<WaitingLine> waiting,
        List<ReclaimedLine> reclaimed,
        List<String> problems) {

    public ClusterStatus {
        pools = List.copyOf(pools);
        machines = List.copyOf(machines);
        waiting = List.copyOf(waiting);
        reclaimed = List.copyOf(reclaimed);
        problems = List.copyOf(problems);
    }

    /** Creates the state of a cluster without the statuses of its tiers, which name the Jobs that lost pods to reclaims. */
    public ClusterStatus(
            String now,
            List<PoolLine> pools,
            List<MachineLine> machines,
            List<WaitingLine> waiting,
            List<String> problems) {
        this(now, pools, machines, waiting, List.of(), problems);
    }

    /** Returns the state with these Jobs. */
    public ClusterStatus withReclaimed(List<ReclaimedLine> jobs) {
        return new ClusterStatus(now, pools, machines, waiting, jobs, problems);
    }

    /**
     * A pool.
     *
     * @param target the number of machines that the cloud has been asked to keep
     * @param ready the number of machines whose nodes are usable and are not being removed
     * @param upcoming the number of machines that were requested and are not usable yet
     * @param idle the number of ready machines that run no training pods
     * @param costPerHour the cost of the pool's machines, in the currency of the pool's price; absent if the pool has no price or its state
     *     is unknown
     * @param backOff the active back-off; absent if there is none
     * @param problem why the state of the pool is unknown; absent if it is known
     * @param lostShare the expected time that is lost for each hour of a machine, by reclaims and by launches that fail, in hours; absent if
     *     the pool has had no machine and no failure
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PoolLine(
            String name,
            String capacityType,
            int min,
            int max,
            @Nullable Integer target,
            int ready,
            @Nullable Integer upcoming,
            int idle,
            @Nullable String costPerHour,
            @Nullable BackOffLine backOff,
            @Nullable String problem,
            @Nullable Double lostShare) {}

    /**
     * A back-off of a pool.
     *
     * @param secondsLeft the time until machines of the pool may be requested again
     */
    public record BackOffLine(String kind, String reason, String until, long secondsLeft) {}

    /**
     * A node of a pool.
     *
     * @param state one of the words in {@link dev.trainyard.scaler.lifecycle.NodeState}
     * @param idleSeconds how long the node has run no training pods; absent if it runs one, if it is not usable yet, or if the time is
     *     unknown
     * @param pods the training pods on the node
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record MachineLine(
            String node,
            String pool,
            String state,
            String reason,
            long ageSeconds,
            @Nullable Long idleSeconds,
            List<String> pods) {

        public MachineLine {
            pods = List.copyOf(pods);
        }
    }

    /**
     * A Job, or another owner of pods, that lost pods to reclaims.
     *
     * @param job {@code namespace/name}
     * @param times the number of pods that it lost
     * @param gpuSeconds the time since these pods had got their nodes, for each of their GPUs
     * @param last when it lost the last of them, in the format of RFC 3339
     */
    public record ReclaimedLine(String tier, String kind, String job, int times, long gpuSeconds, String last) {}

    /**
     * A pending pod.
     *
     * @param pod {@code namespace/name}
     * @param outcome the planned outcome for the pod: a value of the label {@code outcome} of the metric
     *     {@code trainyard_scaler_waiting_pods}
     */
    public record WaitingLine(String pod, long waitingSeconds, String reason, String outcome, String uid) {

        private static final Set<String> PROVIDED_FOR = Set.of("on-node", "upcoming", "growing");

        /** Whether the pod has room on a node, or on a machine that is provisioning or requested. */
        @JsonIgnore
        public boolean isProvidedFor() {
            return PROVIDED_FOR.contains(outcome);
        }
    }
}
