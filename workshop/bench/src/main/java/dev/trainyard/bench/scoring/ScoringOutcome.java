package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TracePodKind;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of one order of pods.
 *
 * @param allocatedAtFull percentage of GPUs allocated at the time when the arrived pods had together requested 100 % of the GPUs
 * @param allocatedAtEnd percentage of GPUs allocated after all pods had arrived
 * @param arrived arrived pods by kind
 * @param failed pods without a machine, by kind
 * @param decisions time of each choice of a machine, in nanoseconds
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
