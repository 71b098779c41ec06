package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.GpuSize;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of one order of pods.
 *
 * @param allocatedAtFull percentage of GPUs allocated at the time when the arrived pods had together requested 100 % of the GPUs
 * @param allocatedAtEnd percentage of GPUs allocated after all pods had arrived
 * @param arrived arrived pods by size
 * @param unplaced pods without a machine, by size
 * @param decisions time of each choice of a machine, in nanoseconds
 * @param placements hash of all placements; equal replays have equal hashes
 */
record ScoringOutcome(
        double allocatedAtFull,
        double allocatedAtEnd,
        Map<GpuSize, Integer> arrived,
        Map<GpuSize, Integer> unplaced,
        Histogram decisions,
        long placements) {

    ScoringOutcome {
        arrived = Map.copyOf(arrived);
        unplaced = Map.copyOf(unplaced);
    }
}
