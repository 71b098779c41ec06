package dev.trainyard.simulation;

import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.api.Edited;
import dev.trainyard.simulation.fault.Fault;
import dev.trainyard.simulation.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The input of a simulation.
 *
 * @param name a name for reports
 * @param settings the TrainingCluster objects, which contain the cluster's settings
 * @param start the wall-clock time at the start
 * @param length the simulated time; if empty, the simulation runs until all tasks have ended and all pools have scaled down
 * @param scanInterval the value of the scaler's flag {@code --scan-interval}
 * @param batchWindow the value of the scaler's flag {@code --batch-window}
 * @param seed the seed of all random decisions
 * @param faults faults to inject during the whole simulation
 */
public record Scenario(
        String name,
        List<TrainingPool> pools,
        List<TrainingTier> tiers,
        List<TrainingCluster> settings,
        Workload workload,
        CloudHabits clouds,
        Instant start,
        Optional<Duration> length,
        Duration scanInterval,
        Duration batchWindow,
        long seed,
        Set<Fault> faults) {

    public Scenario {
        pools = List.copyOf(pools);
        tiers = List.copyOf(tiers);
        settings = List.copyOf(settings);
        faults = Set.copyOf(faults);
    }

    /** Returns this scenario with tiers that allow deadlines. */
    public Scenario allowingDeadlines() {
        return with(
                name,
                pools,
                tiers.stream()
                        .map(tier -> Edited.of(
                                tier,
                                TrainingTier.class,
                                json -> json.withObject("/spec").put("deadlines", true)))
                        .toList());
    }

    /** Returns this scenario with another configuration. */
    Scenario with(String otherName, List<TrainingPool> otherPools, List<TrainingTier> otherTiers) {
        return with(otherName, otherPools, otherTiers, clouds);
    }

    /** Returns this scenario with clouds that behave differently. */
    Scenario with(String otherName, CloudHabits otherClouds) {
        return with(otherName, pools, tiers, otherClouds);
    }

    /** Returns this scenario with another workload. */
    Scenario with(String otherName, Workload otherWorkload) {
        return with(otherName, pools, tiers, otherWorkload, clouds);
    }

    private Scenario with(
            String otherName, List<TrainingPool> otherPools, List<TrainingTier> otherTiers, CloudHabits otherClouds) {
        return with(otherName, otherPools, otherTiers, workload, otherClouds);
    }

    private Scenario with(
            String otherName,
            List<TrainingPool> otherPools,
            List<TrainingTier> otherTiers,
            Workload otherWorkload,
            CloudHabits otherClouds) {
        return new Scenario(
                otherName,
                otherPools,
                otherTiers,
                settings,
                otherWorkload,
                otherClouds,
                start,
                length,
                scanInterval,
                batchWindow,
                seed,
                faults);
    }
}
