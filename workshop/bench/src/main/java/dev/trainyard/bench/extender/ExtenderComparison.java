package dev.trainyard.bench.extender;

import dev.trainyard.bench.measure.Figures;
import dev.trainyard.bench.measure.MeasuredRound;
import dev.trainyard.bench.measure.ReferenceServer;
import dev.trainyard.bench.measure.Rounds;
import java.util.List;

/**
 * A comparison of the extender with a baseline under the same load.
 *
 * @param names number of nodes in each choose or filter call; a prioritize call has only the nodes that must pass the filter
 * @param connections number of busy connections; with 1 there is one call at a time, as from a scheduler
 * @param verbs comparisons of the calls about a pod, in the order of the calls
 * @param extender figures over calls of all verbs
 * @param podsPerSecond number of pods per second for which the server answers all calls, which is the upper limit for a
 *     scheduler with this many connections
 * @param cpu CPU time of the server for all calls about a pod, in microseconds
 */
public record ExtenderComparison(
        ReferenceServer beside,
        int names,
        int connections,
        List<VerbComparison> verbs,
        Figures extender,
        Figures baseline,
        double podsPerSecond,
        double baselinePodsPerSecond,
        double podsRatio,
        double cpu,
        double baselineCpu,
        double cpuRatio) {

    public ExtenderComparison {
        verbs = List.copyOf(verbs);
    }

    static ExtenderComparison of(int names, int connections, List<Verb> verbs, Rounds rounds) {
        int calls = verbs.size();
        var extender = rounds.figures();
        var baseline = rounds.baselineFigures();
        return new ExtenderComparison(
                rounds.beside(),
                names,
                connections,
                verbs.stream()
                        .map(verb -> VerbComparison.of(verb, connections, rounds))
                        .toList(),
                extender,
                baseline,
                extender.requestsPerSecond() / calls,
                baseline.requestsPerSecond() / calls,
                rounds.ratio(round -> round.load().requestsPerSecond()),
                extender.cpu() * calls,
                baseline.cpu() * calls,
                rounds.ratio(MeasuredRound::cpuPerRequest));
    }
}
