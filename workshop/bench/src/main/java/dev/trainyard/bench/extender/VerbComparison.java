package dev.trainyard.bench.extender;

import dev.trainyard.bench.measure.Latencies;
import dev.trainyard.bench.measure.Rounds;

/**
 * A comparison of the extender with a baseline for calls of one verb. Each ratio (extender / baseline) is the median of the ratios of all
 * rounds.
 *
 * @param requestsPerSecond throughput if only this verb were called: connections / mean latency
 */
public record VerbComparison(
        Verb verb,
        Latencies extender,
        Latencies baseline,
        double p50Ratio,
        double p99Ratio,
        double requestsPerSecond,
        double baselineRequestsPerSecond) {

    private static final double MICROS = 1e6;

    static VerbComparison of(Verb verb, int connections, Rounds rounds) {
        var kind = verb.word();
        var extender = rounds.latencies(kind);
        var baseline = rounds.baselineLatencies(kind);
        return new VerbComparison(
                verb,
                extender,
                baseline,
                rounds.ratio(round -> round.percentile(kind, 50)),
                rounds.ratio(round -> round.percentile(kind, 99)),
                connections * MICROS / extender.mean(),
                connections * MICROS / baseline.mean());
    }
}
