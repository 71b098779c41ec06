package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TracePodKind;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of one order of pods.
 *
 * @param allocatedAtFull percent of the GPUs allocated at the time when pods had requested all GPUs
 * @param allocatedAtEnd percent of the GPUs allocated after all pods had arrived
 * @param arrived arrived pods by kind
 * @param failed pods without a machine, by kind
 * @param decisions nanoseconds of each choice
 * @param placements hash of all placements; equal replays have equal hashes
 */
record ScoringOutcome(
        double allocatedAtFull,
        double allocatedAtEnd,
        Map<TracePodKind, Integer> arrived,
        Map<TracePodKind, Integer> failed,
        Histogram decisions,
        long placements) {

    ScoringOutcome {
        arrived = Map.copyOf(arrived);
        failed = Map.copyOf(failed);
    }
}
