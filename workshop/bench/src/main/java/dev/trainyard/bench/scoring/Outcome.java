package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.PodKind;
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
record Outcome(
        double allocatedAtFull,
        double allocatedAtEnd,
        Map<PodKind, Integer> arrived,
        Map<PodKind, Integer> failed,
        Histogram decisions,
        long placements) {

    Outcome {
        arrived = Map.copyOf(arrived);
        failed = Map.copyOf(failed);
    }
}
