package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How things stand. Its JSON is an interface: members may be added, none is taken away. What is not known is absent, never zero.
 *
 * @param now the instant that it is told for, RFC 3339
 * @param pools every pool that can be used, by name
 * @param machines nodes of pools, by pool and name
 * @param waiting pods that wait for room, the one that has waited longest first
 * @param problems objects that could not be read, and parts of the cluster that may not be
 */
public record Standing(
        String now,
        List<PoolLine> pools,
        List<MachineLine> machines,
        List<WaitingLine> waiting,
        List<String> problems) {

    public Standing {
        pools = List.copyOf(pools);
        machines = List.copyOf(machines);
        waiting = List.copyOf(waiting);
        problems = List.copyOf(problems);
    }

    /**
     * A pool.
     *
     * @param target machines that its cloud has been asked to keep
     * @param ready those whose nodes are usable and stay
     * @param upcoming those that were asked for and are not usable yet
     * @param idle those of the ready ones that run no training
     * @param costPerHour what its machines cost, in the currency of its price; absent without a price
     * @param backOff while it is left alone
     * @param problem why it is not known how it stands
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
            @Nullable String problem) {}

    /**
     * A back-off of a pool.
     *
     * @param secondsLeft until it is asked again
     */
    public record BackOffLine(String kind, String reason, String until, long secondsLeft) {}

    /**
     * A node of a pool.
     *
     * @param state one of the words in {@link dev.trainyard.scaler.lifecycle.NodeState}
     * @param idleSeconds for how long no training has run on it; absent while one does
     * @param pods trainings on it
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
     * A pod that waits for room.
     *
     * @param pod namespace and name, with a stroke between
     * @param outcome what is done about it: a value of the label of {@code trainyard_scaler_waiting_pods}
     */
    public record WaitingLine(String pod, long waitingSeconds, String reason, String outcome, String uid) {

        private static final Set<String> PROVIDED_FOR = Set.of("on-node", "upcoming", "growing");

        /** Whether there is room for it, or is to come. */
        @JsonIgnore
        public boolean isProvidedFor() {
            return PROVIDED_FOR.contains(outcome);
        }
    }
}
