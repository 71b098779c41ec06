package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.PodKind;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What became of one order of pods.
 *
 * @param allocatedAtFull percent of the GPUs taken when pods had asked for all that there are
 * @param allocatedAtEnd the same when all pods had come
 * @param arrived pods that came, by kind
 * @param failed pods that found no machine, by kind
 * @param decisions nanoseconds that each choice took
 * @param placements a number made from where each pod went: equal for equal replays
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
