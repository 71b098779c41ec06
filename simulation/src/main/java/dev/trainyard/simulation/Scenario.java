package dev.trainyard.simulation;

import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.fault.Fault;
import dev.trainyard.simulation.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is supposed.
 *
 * @param name for people
 * @param settings of the cluster
 * @param start what the clock on the wall says at first
 * @param length how long is simulated; empty: until everything has ended and no machine is left that is not to stay
 * @param scanInterval as the scaler's flag
 * @param batchWindow as the scaler's flag
 * @param seed of everything that is left to chance
 * @param faults what goes wrong besides, all the time
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

    /** The same under another configuration. */
    Scenario with(String otherName, List<TrainingPool> otherPools, List<TrainingTier> otherTiers) {
        return new Scenario(
                otherName,
                otherPools,
                otherTiers,
                settings,
                workload,
                clouds,
                start,
                length,
                scanInterval,
                batchWindow,
                seed,
                faults);
    }
}
